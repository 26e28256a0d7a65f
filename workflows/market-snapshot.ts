import type { CarriedRun } from '../schemas/pipeline/carried.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import { crawlStream, discover, readListing } from './run/steps.js';
import { withRun } from './run/with-run.js';

/**
 * Fetches the whole market as it is now. For a past date, fetches only the watch events of that day.
 * @param input `{market, date}`
 */
export async function marketSnapshot(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('marketSnapshot', input, carried, async (run) => {
    run.enter('crawling');
    if (run.ctx.asOfNow) {
      await readListing(run, 'nomenclatures');
      await discover(run);
      // Companies first: no report is requested for a company whose details answer "not found".
      for (const stream of ['companies', 'financials', 'financials_v1'] as const) {
        if (run.ctx.streams.includes(stream)) await crawlStream(run, stream);
      }
    } else {
      await readListing(run, 'watched_companies');
      await crawlStream(run, 'watch_events');
    }
  });
}
