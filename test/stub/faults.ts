import { limitReached } from './answers.js';
import { Digits } from './json.js';
import type { Answer, StubFault, StubState } from './state.js';

/** Finds the fault for a request, if any, and counts it. */
export function takeFault({ faults }: StubState, path: string): StubFault | undefined {
  for (const fault of faults) {
    if (!path.startsWith(fault.route) || fault.met >= (fault.times ?? Infinity)) continue;
    if (++fault.seen <= (fault.skip ?? 0)) continue;
    fault.met++;
    return fault;
  }
  return undefined;
}

/** The fault's answer; undefined if the usual one follows. */
export function answerOf(state: StubState, { status, body, limit, headers = {} }: StubFault): Answer | undefined {
  if (limit) return { ...limitReached(state, limit.guard, limit), headers };
  if (status === undefined) return undefined;
  return { status, body: body ?? { detail: 'Internal failure.' }, headers };
}

/** The usual answer with the fault's headers and total. */
export function changeAnswer(answer: Answer, { headers, totalsBy = 0 }: StubFault): Answer {
  const { total_companies: total } = answer.body as { total_companies?: unknown };
  const body =
    totalsBy !== 0 && total instanceof Digits
      ? { ...(answer.body as object), total_companies: new Digits(String(Number(total.text) + totalsBy)) }
      : answer.body;
  return { ...answer, body, headers: { ...answer.headers, ...headers } };
}
