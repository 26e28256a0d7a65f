import type { RunContext } from '../../schemas/pipeline/run.js';

// Far below 10,240 events: from that number on, the server warns.
const MAX_EVENTS = 2_000;

/** Returns whether to continue as new: the server suggests it, or the history is longer than `eventsPerRun`. */
export function isHistoryLong(
  { historyLength, continueAsNewSuggested }: { historyLength: number; continueAsNewSuggested: boolean },
  { eventsPerRun = MAX_EVENTS }: Pick<RunContext, 'eventsPerRun'>,
): boolean {
  return continueAsNewSuggested || historyLength > eventsPerRun;
}
