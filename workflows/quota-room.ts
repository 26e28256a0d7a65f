import type { QuotaStatus, QuotaWaiter } from '../schemas/pipeline/activities.js';
import type { RunContext, WorkflowType } from '../schemas/pipeline/run.js';
import { RUN_ID } from '../schemas/pipeline/limits.js';

/**
 * Returns how many requests a run may still send today. The run leaves the share `leavesQuota` to other runs. Infinity
 * when the API gives no quota figure.
 */
export function roomFor({ known, used, total }: QuotaStatus, { leavesQuota }: RunContext): number {
  return known ? Math.max(0, Math.floor(total * (1 - leavesQuota) - used)) : Infinity;
}

/** Returns whether the API gives no quota figure at all. False after a failed reading (`fault`). */
export function hasNoFigure({ known, fault }: QuotaStatus): boolean {
  return !known && !fault;
}

// Lower numbers come first. A night of a market is the most important run. A backfill can wait for another day.
const PRIORITY: Record<WorkflowType, number> = {
  marketSnapshot: 1,
  watchSync: 2,
  tenderSnapshot: 3,
  resolveCompanies: 4,
  enrichPeople: 4,
  checkPayees: 4,
  retryRejects: 5,
  enrichOwners: 6,
  backfill: 9,
};

export function priorityOf({ workflowType }: RunContext): number {
  return PRIORITY[workflowType];
}

/**
 * Sorts the waiting runs: the most important first. Of equally important runs, the one that has waited longest comes
 * first.
 */
export function inLine(waiting: readonly QuotaWaiter[]): QuotaWaiter[] {
  return waiting.toSorted((a, b) => a.priority - b.priority);
}

/**
 * Returns whether a signal's payload is a run that can wait at the gate. Checks the form of the run id and the date,
 * and that the numbers are finite.
 */
export function isWaiter(sent: unknown): sent is QuotaWaiter {
  const { ctx, priority } = (sent ?? {}) as Partial<QuotaWaiter>;
  const { run, date, workflowId, probeEverySeconds, leavesQuota } = ctx ?? ({} as Partial<RunContext>);
  return (
    typeof workflowId === 'string' &&
    typeof run === 'string' &&
    RUN_ID.test(run) &&
    typeof date === 'string' &&
    /^\d{4}-\d{2}-\d{2}$/.test(date) &&
    Number.isFinite(priority) &&
    Number.isFinite(leavesQuota) &&
    typeof probeEverySeconds === 'number' &&
    probeEverySeconds > 0 &&
    probeEverySeconds < 1e9
  );
}

/**
 * Returns the seconds after which a waiting run signals the gate again, in case someone ended the gate. The wait grows
 * with `time`, so that a run that waits for days adds few history events.
 * @param time how often the run waited before, from 0
 */
export function secondsToStandAgain(probeEverySeconds: number, time: number): number {
  return Math.min(4 * probeEverySeconds * 2 ** time, Math.max(16 * probeEverySeconds, 3_600));
}
