import {
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { QuotaGateState, QuotaStatus, QuotaWaiter } from '../schemas/pipeline/crawl.js';
import { isCancelled } from './cancellation.js';
import { enterQuotaGateSignal, quotaOpenedSignal } from './messages.js';
import { crawl } from './proxies.js';
import { inLine, isWaiter, roomFor, secondsToReset } from './quota-room.js';

const MAX_EVENTS = 2_000;
// Between two runs that go on: the first of them shows whether there is room indeed.
const STAGGER_SECONDS = 2;
// Where the API gives no figure, it is tried no less often than this.
const LONGEST_PAUSE_SECONDS = 3_600;
// So many questions for the quota refused one after another are no passing trouble: the runs are to find out themselves.
const REFUSALS_AT_MOST = 5;

/**
 * The daily limit of one API key, for all its runs and workers. While runs wait, it alone asks for the quota, on a
 * durable timer, and lets them go on one after another when there is room, the most valuable first. Ends when nobody
 * waits; the next run that reaches the limit starts it anew. A question that is refused does not end it.
 */
export async function quotaGate(carried: QuotaGateState = {}): Promise<void> {
  // `trying` is the run that tries where the API gives no figure.
  let { waiting = [], pause = null, trying = null, refusals = 0 } = carried;
  setHandler(enterQuotaGateSignal, (waiter) => {
    // Anybody may have sent it: one that cannot be worked with would end the gate for all who wait.
    if (!isWaiter(waiter)) return;
    const place = waiting.findIndex(({ ctx }) => ctx.workflowId === waiter.ctx.workflowId);
    // Who stands in line again keeps its place.
    waiting = place < 0 ? [...waiting, waiter] : waiting.with(place, waiter);
    show(waiting, pause);
  });
  await condition(() => waiting.length > 0, '1 minute');
  while (waiting.length > 0) {
    const [first] = inLine(waiting);
    if (!first) break;
    const wait: number = pause ?? first.ctx.probeEverySeconds;
    show(waiting, wait);
    await sleep(wait * 1_000);
    const status = await ask(first);
    refusals = status === null ? refusals + 1 : 0;
    if (status === null) {
      pause = null;
      if (refusals >= REFUSALS_AT_MOST) await releaseAll();
    } else if (status.known) {
      [pause, trying] = [null, null];
      await release(inLine(waiting).filter(({ ctx }) => roomFor(status, ctx) > 0));
    } else if (secondsToReset(status) !== null) {
      // No figure, but a time of day: nothing is tried before it.
      [pause, trying] = [secondsToReset(status), null];
    } else if (trying !== null && !stands(trying)) {
      // Whoever tried has not come back: there is room.
      await releaseAll();
    } else {
      // One tries. Where there is no room it is in the line again, and the pause longer.
      pause = trying === null ? first.ctx.probeEverySeconds : Math.min(LONGEST_PAUSE_SECONDS, 2 * wait);
      trying = await releaseOne();
      // Alone in the line: the gate stays until it is clear that it went through.
      if (trying !== null && waiting.length === 0) await condition(() => waiting.length > 0, pause * 1_000);
    }
    if (workflowInfo().historyLength > MAX_EVENTS && waiting.length > 0) {
      await continueAsNew<typeof quotaGate>({ waiting, pause, trying, refusals });
    }
  }

  function stands(workflowId: string): boolean {
    return waiting.some(({ ctx }) => ctx.workflowId === workflowId);
  }

  async function releaseAll(): Promise<void> {
    [pause, trying, refusals] = [null, null, 0];
    await release(inLine(waiting));
  }

  /** Lets the first go on that is still there; its workflow id, or null where none is. */
  async function releaseOne(): Promise<string | null> {
    for (const waiter of inLine(waiting)) {
      if (await letGo(waiter)) return waiter.ctx.workflowId;
    }
    return null;
  }

  async function release(ready: readonly QuotaWaiter[]): Promise<void> {
    for (const [i, waiter] of ready.entries()) {
      if (i > 0) await sleep(STAGGER_SECONDS * 1_000);
      await letGo(waiter);
    }
    show(waiting, pause);
  }

  /** Takes a run out of the line and tells it so; false where it was cancelled or ended while it waited. */
  async function letGo(waiter: QuotaWaiter): Promise<boolean> {
    const { workflowId } = waiter.ctx;
    waiting = waiting.filter(({ ctx }) => ctx.workflowId !== workflowId);
    try {
      await getExternalWorkflowHandle(workflowId).signal(quotaOpenedSignal);
      return true;
    } catch (error) {
      if (isCancelled(error)) throw error;
      return false;
    }
  }
}

/** Asks for the quota in the name of a run; null where the question is refused for good. */
async function ask({ ctx }: QuotaWaiter): Promise<QuotaStatus | null> {
  try {
    return await crawl.readQuota.executeWithOptions({ summary: 'is there room again?' }, [ctx]);
  } catch (error) {
    if (isCancelled(error)) throw error;
    return null;
  }
}

function show(waiting: readonly QuotaWaiter[], pause: number | null): void {
  const rows = inLine(waiting).map(({ ctx }) => `| ${ctx.workflowId} | ${ctx.workflowType} |`);
  const next = pause === null ? '' : `, asked for again every ${pause} s`;
  setCurrentDetails(['**daily quota used up**' + next, '', '| waits | what |', '| --- | --- |', ...rows].join('\n'));
}
