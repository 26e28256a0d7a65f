import type { RunContext } from '../schemas/pipeline/run.js';

// Temporal's server warns from 10,240 events on. Stay far below this number.
const MAX_EVENTS = 2_000;

/**
 * Returns whether to continue as new. This is so when the server suggests it, or when the history is longer than
 * `eventsPerRun`.
 */
export function isHistoryLong(
  { historyLength, continueAsNewSuggested }: { historyLength: number; continueAsNewSuggested: boolean },
  { eventsPerRun = MAX_EVENTS }: Pick<RunContext, 'eventsPerRun'>,
): boolean {
  return continueAsNewSuggested || historyLength > eventsPerRun;
}
