import {
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { QuotaGateState, QuotaWaiter } from '../schemas/pipeline/crawl.js';
import { enterQuotaGateSignal, quotaOpenedSignal } from './messages.js';
import { crawl } from './proxies.js';
import { inLine, isWaiter, roomFor } from './quota-room.js';

const MAX_EVENTS = 2_000;
// Between two runs that go on: the first of them shows whether there is room indeed.
const STAGGER_SECONDS = 2;
// Where the API gives no figure, it is tried no less often than this.
const LONGEST_PAUSE_SECONDS = 3_600;

/**
 * The daily limit of one API key, for all its runs and workers. While runs wait, it alone asks for the quota, on a
 * durable timer, and lets them go on one after another when there is room, the most valuable first. Ends when nobody
 * waits; the next run that reaches the limit starts it anew.
 */
export async function quotaGate({ waiting: carried = [] }: QuotaGateState = {}): Promise<void> {
  let waiting = carried;
  let pause: number | null = null;
  // The run that tries where the API gives no figure.
  let trying: string | null = null;
  setHandler(enterQuotaGateSignal, (waiter) => {
    // Anybody may have sent it: one that cannot be worked with would end the gate for all who wait.
    if (!isWaiter(waiter)) return;
    waiting = [...waiting.filter(({ ctx }) => ctx.workflowId !== waiter.ctx.workflowId), waiter];
    show(waiting, pause);
  });
  await condition(() => waiting.length > 0, '1 minute');
  while (waiting.length > 0) {
    const [first] = inLine(waiting);
    if (!first) break;
    const wait: number = pause ?? first.ctx.probeEverySeconds;
    show(waiting, wait);
    await sleep(wait * 1_000);
    const status = await crawl.readQuota.executeWithOptions({ summary: 'is there room again?' }, [first.ctx]);
    if (status.known) {
      pause = null;
      await release(inLine(waiting).filter(({ ctx }) => roomFor(status, ctx) > 0));
    } else if (status.resetsIn !== null && pause === null) {
      // No figure, but a time of day: nothing is tried before it.
      pause = status.resetsIn;
    } else if (status.resetsIn !== null || (trying !== null && !stands(trying))) {
      // The time has come, or whoever tried has not come back: there is room.
      [pause, trying] = [null, null];
      await release(inLine(waiting));
    } else {
      // One tries. Where there is no room it is in the line again, and the pause longer.
      pause = trying === null ? wait : Math.min(LONGEST_PAUSE_SECONDS, 2 * wait);
      trying = first.ctx.workflowId;
      await release([first]);
      // Alone in the line: the gate stays until it is clear that it went through.
      if (waiting.length === 0) await condition(() => waiting.length > 0, pause * 1_000);
    }
    if (workflowInfo().historyLength > MAX_EVENTS && waiting.length > 0) {
      await continueAsNew<typeof quotaGate>({ waiting });
    }
  }

  function stands(workflowId: string): boolean {
    return waiting.some(({ ctx }) => ctx.workflowId === workflowId);
  }

  async function release(ready: readonly QuotaWaiter[]): Promise<void> {
    for (const [i, waiter] of ready.entries()) {
      if (i > 0) await sleep(STAGGER_SECONDS * 1_000);
      waiting = waiting.filter((other) => other !== waiter);
      try {
        await getExternalWorkflowHandle(waiter.ctx.workflowId).signal(quotaOpenedSignal);
      } catch (error) {
        // Cancelled or ended while it waited: it needs no room.
        if (isCancellation(error)) throw error;
      }
    }
    show(waiting, pause);
  }
}

function show(waiting: readonly QuotaWaiter[], pause: number | null): void {
  const rows = inLine(waiting).map(({ ctx }) => `| ${ctx.workflowId} | ${ctx.workflowType} |`);
  const next = pause === null ? '' : `, asked for again every ${pause} s`;
  setCurrentDetails(['**daily quota used up**' + next, '', '| waits | what |', '| --- | --- |', ...rows].join('\n'));
}
