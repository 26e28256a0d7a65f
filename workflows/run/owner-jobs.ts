import { ChildWorkflowCancellationType, condition, ParentClosePolicy, startChild } from '@temporalio/workflow';
import { plainReason, withSentence } from '../../schemas/pipeline/reason.js';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { EnrichOwnersInput } from '../../schemas/pipeline/run.js';
import { ownersId } from '../ids.js';
import { crawl } from '../proxies.js';
import type { Run } from './run.js';

/**
 * Starts `enrichOwners` for this run's market and date as an independent run. The new run continues when this run ends,
 * so its jobs, which may take hours, do not delay the publication.
 */
export async function startEnrichment(run: Run): Promise<void> {
  await run.step('start enrichment', async () => {
    const { market, date } = run.ctx;
    if (market === null) return;
    const workflowId = ownersId(market, date);
    const input: EnrichOwnersInput = { market, date };
    try {
      await startChild('enrichOwners', {
        workflowId,
        args: [input],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        staticSummary: `enriches the owners of ${market}`,
      });
      run.note(`The run ${workflowId} starts jobs for the companies whose owners are not conclusive.`);
    } catch (error) {
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      run.note(`The run ${workflowId} is still enriching owners, so this run did not start another one.`);
    }
  });
}

/**
 * Polls the run's jobs until each has ended. Between two rounds, the run waits on a Temporal timer, which survives
 * crashes and upgrades of workers.
 * @returns whether there was no job
 */
export async function pollOwnerJobs(run: Run): Promise<boolean> {
  let idle = true;
  await run.step('owner jobs', async (shown) => {
    shown.untimed = true;
    for (;;) {
      await run.checkpoint();
      const input = { ctx: run.ctx, round: run.nextChunk };
      const summary = `poll jobs, round ${run.nextChunk + 1}`;
      const result = await run.orStopped(() => crawl.pollOwnerJobs.executeWithOptions({ summary }, [input]));
      run.progress.requests += result.requests;
      for (const refusal of result.refused ?? []) run.noteRefusal(refusal);
      if (result.limited) {
        await run.waitForQuota();
        continue;
      }
      run.nextChunk++;
      run.countLanded(result.rows);
      if (result.fruitless > 0) run.markIncomplete(withSentence(plainReason('owner_jobs_failed')));
      idle &&= result.open === 0 && result.rows === 0;
      shown.total = Math.max(shown.total ?? 0, result.open);
      shown.done = shown.total - result.open;
      run.show();
      if (result.open === 0) return;
      await condition(() => run.stopRequested, result.nextInSeconds * 1_000);
    }
  });
  return idle;
}
