import type { CarriedRun } from '../schemas/pipeline/carried.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import { crawlStream, readListing } from './run/steps.js';
import { withRun } from './run/with-run.js';

/**
 * Fetches the events of every watched company, beginning with the last sync.
 * @param input `{}` or `{date}`
 */
export async function watchSync(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('watchSync', input, carried, async (run) => {
    run.enter('crawling');
    await readListing(run, 'watched_companies');
    await crawlStream(run, 'watch_events');
  });
}
