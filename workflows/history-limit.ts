import type { RunContext } from '../schemas/pipeline/run.js';

// Far below 10,240 events, where the server starts to warn.
const MAX_EVENTS = 2_000;

/** Whether an execution should continue as new: the server suggests it, or the history passed the limit of the run. */
export function isHistoryLong(
  { historyLength, continueAsNewSuggested }: { historyLength: number; continueAsNewSuggested: boolean },
  { eventsPerRun = MAX_EVENTS }: Pick<RunContext, 'eventsPerRun'>,
): boolean {
  return continueAsNewSuggested || historyLength > eventsPerRun;
}
