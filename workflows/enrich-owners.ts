import { setWorkflowOptions } from '@temporalio/workflow';
import type { CarriedRun } from '../schemas/pipeline/carried.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import { pollOwnerJobs } from './run/owner-jobs.js';
import { crawlStream } from './run/steps.js';
import { withRun } from './run/with-run.js';

// This run takes days, so it may outlive the workers of its version. It moves to the current version.
setWorkflowOptions({ versioningBehavior: 'AUTO_UPGRADE' }, enrichOwners);

/**
 * Starts an enrichment job for each company of a market whose answer about owners is not conclusive. Polls the jobs
 * until they end, then reads the owners again. May take days. Ends at once when there is nothing to enrich.
 * @param input `{market, date}`
 */
export async function enrichOwners(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('enrichOwners', input, carried, async (run) => {
    run.enter('crawling');
    const noneDue = await crawlStream(run, 'ownership_jobs');
    const noneOpen = await pollOwnerJobs(run);
    const noneEnded = await crawlStream(run, 'ownership');
    run.idle = carried === undefined && noneDue && noneOpen && noneEnded;
  });
}
