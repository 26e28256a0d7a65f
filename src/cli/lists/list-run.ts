import type { RunRequest } from '../../temporal/runs/start-run.js';
import type { CliContext } from '../context.js';
import { followOptions, type RunOptions } from '../runs/run-options.js';

/** What a command wrote after its run. */
export interface WrittenResult {
  /** Fields to add to the result that `--json` prints. */
  json: object;
  /** Prints what was written, for people. Used without `--json`. */
  show: () => void;
}

/** Makes the request for a run that reads a list. */
export function listRun(
  type: 'resolveCompanies' | 'enrichPeople' | 'checkPayees',
  workflowId: string,
  input: RunRequest['input'],
  about: { summary: string; details: string },
): RunRequest {
  return { type, workflowId, input, market: null, date: null, ...about };
}

/**
 * Starts the run of a list and follows it. Then writes the result file, even if the run was stopped or sent no request:
 * the warehouse may have earlier answers. Writes nothing if the run used another data folder, because this command's
 * data folder does not contain the run's answers.
 * @param again command line that follows the same run again
 */
export async function followListRun(
  context: CliContext,
  request: RunRequest,
  { options, again, write }: { options: RunOptions; again: string; write: () => Promise<WrittenResult> },
): Promise<void> {
  const { runAndFollow } = await import('../runs/run-and-follow.js');
  const done: { result: WrittenResult | null } = { result: null };
  await runAndFollow(context, request, {
    ...followOptions(options, again),
    also: async (sameFolder) => {
      if (!sameFolder) return {};
      done.result = await write();
      return done.result.json;
    },
  });
  if (!options.json) done.result?.show();
}
