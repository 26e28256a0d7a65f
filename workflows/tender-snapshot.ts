import type { CarriedRun } from '../schemas/pipeline/carried.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import { crawlStream, readListing } from './run/steps.js';
import { withRun } from './run/with-run.js';

/**
 * Fetches tenders and their details. For a past date, fetches the tenders created on that day.
 * @param input `{date}`
 */
export async function tenderSnapshot(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('tenderSnapshot', input, carried, async (run) => {
    run.enter('crawling');
    await readListing(run, 'nomenclatures');
    await readListing(run, 'tenders');
    await crawlStream(run, 'tender_details');
  });
}
