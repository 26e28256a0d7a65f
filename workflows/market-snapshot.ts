import type { CarriedRun } from '../schemas/pipeline/crawl.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import { crawlStream, discover, readListing } from './steps.js';
import { withRun } from './with-run.js';

/** The whole market as it is now; for a past date only the watch events of that day. Input: `{market, date}`. */
export async function marketSnapshot(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('marketSnapshot', input, carried, async (run) => {
    run.enter('crawling');
    if (run.ctx.asOfNow) {
      await readListing(run, 'nomenclatures');
      await discover(run);
      // In this order: which companies are gone decides whose report is worth a request.
      for (const stream of ['companies', 'financials', 'financials_v1'] as const) {
        if (run.ctx.streams.includes(stream)) await crawlStream(run, stream);
      }
    } else {
      await readListing(run, 'watched_companies');
      await crawlStream(run, 'watch_events');
    }
  });
}
