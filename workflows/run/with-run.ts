import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { CarriedRun } from '../../schemas/pipeline/carried.js';
import type { RunResult, WorkflowType } from '../../schemas/pipeline/run.js';
import { isCancelled } from './cancellation.js';
import { quick } from '../proxies.js';
import { StopRequested } from './run-errors.js';
import { Run } from './run.js';
import { finish } from './steps.js';

/**
 * Runs a top-level workflow and lands its outcome, even if the workflow fails or is cancelled. Without a record of the
 * outcome, an ended run would still look like a running one.
 */
export async function withRun(
  workflowType: WorkflowType,
  input: unknown,
  carried: CarriedRun | undefined,
  work: (run: Run) => Promise<void>,
): Promise<RunResult> {
  const run = await Run.open(workflowType, input, carried);
  try {
    try {
      if (!carried) await run.requireQuota();
      if (!run.stopped) await work(run);
    } catch (error) {
      if (!(error instanceof StopRequested)) throw error;
      run.markIncomplete(
        'An operator stopped the run. The fetched records are kept; the current night of the market does not change.',
      );
    }
    run.endCrawl();
    return await finish(run);
  } catch (error) {
    if (error instanceof Error && error.name === 'ContinueAsNew') throw error;
    const cancelled = isCancelled(error);
    const note = error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : null;
    const closed = { ...(run.closed ?? { crawled: null, heldBack: null }), refused: run.refused };
    const outcome = cancelled ? 'cancelled' : 'failed';
    // If closing fails too, throw the first failure.
    await CancellationScope.nonCancellable(() => quick.closeRun({ ctx: run.ctx, outcome, note, ...closed })).catch(
      () => undefined,
    );
    // Temporal marks a workflow as cancelled only if the workflow throws CancelledFailure.
    throw cancelled ? new CancelledFailure('The run was cancelled.') : error;
  }
}
