import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { CarriedRun } from '../../schemas/pipeline/carried.js';
import type { ErrorType } from '../../schemas/pipeline/error-type.js';
import type { RunResult, WorkflowType } from '../../schemas/pipeline/run.js';
import { failedAlert, isTaken } from './alerts.js';
import { isCancelled } from '../cancellation.js';
import { quick } from '../proxies.js';
import { StopRequested } from './run-errors.js';
import { Run } from './run.js';
import { startAlert } from './start-alert.js';
import { finish } from './steps.js';
import { MARKET_ATTRIBUTE, SCHEDULED_TIME } from '../search-attributes.js';

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
  const run = await openRun(workflowType, input, carried);
  try {
    try {
      if (!carried) await run.requireQuota();
      if (!run.stopped) await work(run);
    } catch (error) {
      if (!(error instanceof StopRequested)) throw error;
      run.markIncomplete({
        code: 'stopped',
        values: {},
        reason: `An operator stopped the run. The fetched records are kept${run.ctx.market === null ? '' : '; the current night of the market does not change'}.`,
      });
    }
    run.endCrawl();
    return await finish(run);
  } catch (error) {
    if (error instanceof Error && error.name === 'ContinueAsNew') throw error;
    const cancelled = isCancelled(error);
    const note = error instanceof Error ? (error.cause instanceof Error ? error.cause.message : error.message) : null;
    const closed = { ...(run.closed ?? { crawled: null, heldBack: null }), refused: run.refused, landed: null };
    const outcome = cancelled ? 'cancelled' : 'failed';
    const why = [
      ...run.why,
      { code: outcome, values: {}, reason: note ?? `The run ${cancelled ? 'was cancelled' : 'failed'}.` } as const,
    ];
    run.end(outcome);
    // If closing fails too, throw the first failure.
    await CancellationScope.nonCancellable(() =>
      quick.closeRun.executeWithOptions({ summary: `record the outcome: ${outcome}` }, [
        { ctx: run.ctx, outcome, note, why, ...closed },
      ]),
    ).catch(() => undefined);
    if (!cancelled && isTaken(run.ctx, 'failed'))
      await startAlert(failedAlert(run.ctx, describeFailure(error), run.progress.requests, new Date()));
    // Temporal marks a workflow as cancelled only if the workflow throws CancelledFailure.
    throw cancelled ? new CancelledFailure('The run was cancelled.') : error;
  }
}

/** Opens a run. If a scheduled run cannot be opened, sends an alert: nobody waits for its result. */
async function openRun(workflowType: WorkflowType, input: unknown, carried: CarriedRun | undefined): Promise<Run> {
  try {
    return await Run.open(workflowType, input, carried);
  } catch (error) {
    const scheduled = workflowInfo().typedSearchAttributes.get(SCHEDULED_TIME);
    if (scheduled && !isCancelled(error)) {
      const { workflowId, firstExecutionRunId, typedSearchAttributes } = workflowInfo();
      const market = typedSearchAttributes.get(MARKET_ATTRIBUTE) ?? null;
      const run = {
        workflowType,
        workflowId,
        run: firstExecutionRunId,
        market,
        date: scheduled.toISOString().slice(0, 10),
      };
      await startAlert(failedAlert(run, describeFailure(error), 0, new Date()));
    }
    throw error;
  }
}

/** Returns type (ErrorType) and message of the error that ended a run. */
function describeFailure(error: unknown): { type: string; message: string } {
  const failure = error instanceof ActivityFailure ? error.cause : error;
  const type = (failure instanceof ApplicationFailure ? failure.type : null) ?? INTERNAL;
  return { type, message: failure instanceof Error ? failure.message : String(error) };
}

const INTERNAL: ErrorType = 'Internal';
