import {
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  setCurrentDetails,
  setHandler,
  setWorkflowOptions,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { QuotaStatus, QuotaWaiter } from '../../schemas/pipeline/activities.js';
import type { GateReport } from '../../schemas/pipeline/gate.js';
import { isCancelled } from '../cancellation.js';
import { enterLine, judgeReading, leaveLine, NEW_GATE, nextReading, noteTry, type GateState } from './gate-state.js';
import { isHistoryLong } from '../history-limit.js';
import { enterQuotaGateSignal, gateQuery, quotaOpenedSignal, waitingQuery } from '../messages.js';
import { crawl } from '../proxies.js';
import { inLine } from '../quota-room.js';

// Pause between two releases. It gives the run released first the time to show whether quota is really left.
const STAGGER_SECONDS = 2;

// The gate may wait for days, so it may outlive the workers of its version. It moves to the current version.
setWorkflowOptions({ versioningBehavior: 'AUTO_UPGRADE' }, quotaGate);

/**
 * Guards the daily limit of one API key for all its runs and workers.
 * - While runs wait, only the gate reads the quota, on a durable timer.
 * - When quota is left, the gate releases the runs one after another, the most important first.
 * - When no run waits, the gate ends. The next run that reaches the limit starts a new one.
 *
 * If a quota reading fails, the gate continues. gate-state.ts holds the states and decisions.
 */
export async function quotaGate(carried: Partial<GateState> = NEW_GATE): Promise<void> {
  // Somebody may start a gate in the Temporal UI, with an empty object as its input.
  let state: GateState = { ...NEW_GATE, ...carried };
  setHandler(enterQuotaGateSignal, (sent) => {
    const entered = enterLine(state, sent);
    if (entered === state) return;
    state = entered;
    show(state);
  });
  setHandler(waitingQuery, () => state.waiting.length);
  let quota: GateReport['quota'] = null;
  let readsAt: GateReport['readsAt'] = null;
  setHandler(gateQuery, () => ({ waiting: inLine(state.waiting).map(({ ctx }) => ctx.workflowId), quota, readsAt }));
  await condition(() => state.waiting.length > 0, '1 minute');
  for (let reading = nextReading(state); reading !== null; reading = nextReading(state)) {
    const { first, wait } = reading;
    show({ ...state, pause: wait });
    readsAt = new Date(Date.now() + wait * 1_000).toISOString();
    await sleep(wait * 1_000, { summary: 'until the next reading of the quota' });
    const status = await ask(first);
    readsAt = null;
    if (status !== null) quota = readingOf(status, Date.now());
    // Read `state` again after the reading: other runs may have entered the gate meanwhile.
    const judged = judgeReading(state, reading, status);
    state = judged.state;
    if (judged.move.kind === 'release') await release(judged.move.runs);
    if (judged.move.kind === 'try') await tryOne();
    if (state.waiting.length > 0 && isHistoryLong(workflowInfo(), first.ctx)) {
      await continueAsNew<typeof quotaGate>(state);
    }
  }

  /** Wakes the first waiting run that still exists, to find out whether the API answers it. */
  async function tryOne(): Promise<void> {
    let woken: string | null = null;
    for (const waiter of inLine(state.waiting)) {
      if (!(await letGo(waiter))) continue;
      woken = waiter.ctx.workflowId;
      break;
    }
    state = noteTry(state, woken);
    // No run waits. Keep the gate open for one pause, in case the woken run returns.
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

  /** Takes a run out of the waiting runs and signals it. Returns false if the run ended while it waited. */
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

function readingOf({ known, used, total }: QuotaStatus, now: number): GateReport['quota'] {
  return known ? { used, total, readAt: new Date(now).toISOString() } : null;
}

/** Reads the quota on behalf of a run. Returns null when the reading failed and a retry would not help. */
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
  const next = pause === null ? '' : `, next reading in ${pause} s`;
  setCurrentDetails(
    ['**daily quota used up**' + next, '', '| waiting run | workflow |', '| --- | --- |', ...rows].join('\n'),
  );
}
