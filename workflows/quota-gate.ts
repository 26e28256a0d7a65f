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
import { enterLine, judgeReading, leaveLine, nextReading, noteTry, openGate, type GateState } from './gate-state.js';
import { isHistoryLong } from './history-limit.js';
import { enterQuotaGateSignal, quotaOpenedSignal } from './messages.js';
import { crawl } from './proxies.js';
import { inLine } from './quota-room.js';

// Between two runs that go on: the first of them shows whether there is room indeed.
const STAGGER_SECONDS = 2;

/**
 * The daily limit of one API key, for all its runs and workers. While runs wait, it alone asks for the quota, on a
 * durable timer, and lets them go on one after another when there is room, the most valuable first. Ends when nobody
 * waits; the next run that reaches the limit starts it anew. A question that is refused does not end it. The decisions
 * are in gate-state.ts.
 */
export async function quotaGate(carried: QuotaGateState = {}): Promise<void> {
  let state = openGate(carried);
  setHandler(enterQuotaGateSignal, (sent) => {
    const entered = enterLine(state, sent);
    if (entered === state) return;
    state = entered;
    show(state);
  });
  await condition(() => state.waiting.length > 0, '1 minute');
  for (let reading = nextReading(state); reading !== null; reading = nextReading(state)) {
    const { first, wait } = reading;
    show({ ...state, pause: wait });
    await sleep(wait * 1_000);
    const status = await ask(first);
    // Read `state` only now: runs may have entered the line during the reading.
    const judged = judgeReading(state, reading, status);
    state = judged.state;
    if (judged.move.kind === 'release') await release(judged.move.runs);
    if (judged.move.kind === 'try') await tryOne();
    if (state.waiting.length > 0 && isHistoryLong(workflowInfo(), first.ctx)) {
      await continueAsNew<typeof quotaGate>(state);
    }
  }

  /** Wakes the first run that still exists, to see whether the API answers it. */
  async function tryOne(): Promise<void> {
    let woken: string | null = null;
    for (const waiter of inLine(state.waiting)) {
      if (!(await letGo(waiter))) continue;
      woken = waiter.ctx.workflowId;
      break;
    }
    state = noteTry(state, woken);
    // Alone in the line: the gate stays until it is clear that it went through.
    if (woken !== null && state.waiting.length === 0) {
      await condition(() => state.waiting.length > 0, (state.pause ?? 0) * 1_000);
    }
  }

  async function release(ready: readonly QuotaWaiter[]): Promise<void> {
    for (const [i, waiter] of ready.entries()) {
      if (i > 0) await sleep(STAGGER_SECONDS * 1_000);
      await letGo(waiter);
    }
    show(state);
  }

  /** Takes a run out of the line and tells it so; false where it was cancelled or ended while it waited. */
  async function letGo(waiter: QuotaWaiter): Promise<boolean> {
    const { workflowId } = waiter.ctx;
    state = leaveLine(state, workflowId);
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
    return await crawl.readQuota.executeWithOptions({ summary: 'is quota left again?' }, [ctx]);
  } catch (error) {
    if (isCancelled(error)) throw error;
    return null;
  }
}

function show({ waiting, pause }: Pick<GateState, 'waiting' | 'pause'>): void {
  const rows = inLine(waiting).map(({ ctx }) => `| ${ctx.workflowId} | ${ctx.workflowType} |`);
  const next = pause === null ? '' : `, checked again every ${pause} s`;
  setCurrentDetails(
    ['**daily quota used up**' + next, '', '| waiting run | workflow |', '| --- | --- |', ...rows].join('\n'),
  );
}
