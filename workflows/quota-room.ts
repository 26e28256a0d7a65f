import type { QuotaStatus, QuotaWaiter } from '../schemas/pipeline/crawl.js';
import type { RunContext, WorkflowType } from '../schemas/pipeline/run.js';

/** Requests a run may still send today: what is left but for the share it leaves to others. Infinity: nobody knows. */
export function roomFor({ known, used, total }: QuotaStatus, { leavesQuota = 0 }: RunContext): number {
  return known ? Math.max(0, Math.floor(total * (1 - leavesQuota) - used)) : Infinity;
}

/** Whether the API gives no figure of the quota at all; that it could not be asked just now says nothing. */
export function hasNoFigure({ known, fault }: QuotaStatus): boolean {
  return !known && !fault;
}

// What a market's night brings is worth most; a backfill can wait for another day.
const PRIORITY: Record<WorkflowType, number> = {
  marketSnapshot: 1,
  watchSync: 2,
  tenderSnapshot: 3,
  resolveCompanies: 4,
  retryRejects: 5,
  backfill: 9,
};

export function priorityOf({ workflowType }: RunContext): number {
  return PRIORITY[workflowType];
}

/** Those that wait, the most valuable first, and among equals the one that waits for longest. */
export function inLine(waiting: readonly QuotaWaiter[]): QuotaWaiter[] {
  return waiting.toSorted((a, b) => a.priority - b.priority);
}

/** Whether what was sent to the gate is a run that can wait there: one whose names are plain and whose numbers are some. */
export function isWaiter(sent: unknown): sent is QuotaWaiter {
  const { ctx, priority } = (sent ?? {}) as Partial<QuotaWaiter>;
  const { run, date, workflowId, probeEverySeconds } = ctx ?? ({} as Partial<RunContext>);
  return (
    typeof workflowId === 'string' &&
    typeof run === 'string' &&
    /^[A-Za-z0-9][\w.-]{0,199}$/.test(run) &&
    typeof date === 'string' &&
    /^\d{4}-\d{2}-\d{2}$/.test(date) &&
    Number.isFinite(priority) &&
    typeof probeEverySeconds === 'number' &&
    probeEverySeconds > 0 &&
    probeEverySeconds < 1e9
  );
}

const DAY_SECONDS = 86_400;
// The quota may begin anew somewhat later than configured: so long after that time of day it is tried for.
const RESET_WINDOW_SECONDS = 6 * 3_600;

/** Seconds to wait for the time of day at which the quota begins anew; null where none is told or it has just been. */
export function secondsToReset({ resetsIn }: QuotaStatus): number | null {
  return resetsIn === null || DAY_SECONDS - resetsIn < RESET_WINDOW_SECONDS ? null : resetsIn;
}

/**
 * Seconds after which a run that waits stands in line again, the `time`-th time from 0: someone may have ended the gate.
 * Grows, so that a wait of days costs little history.
 */
export function secondsToStandAgain(probeEverySeconds: number, time: number): number {
  return Math.min(4 * probeEverySeconds * 2 ** time, Math.max(16 * probeEverySeconds, 3_600));
}
