import type { CarriedRun } from '../schemas/pipeline/carried.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import { STALE_STREAMS } from '../schemas/streams/streams.js';
import { crawlStream, readListing } from './run/steps.js';
import { withRun } from './run/with-run.js';

/**
 * Fetches the records that the API can select by date: tenders created from `from` to `to`, and the watch events and
 * contact metrics of these days. Also fetches the stale financials of known companies again.
 * @param input `{from, to, streams, market}`; `from` and `to` are required
 */
export async function backfill(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('backfill', input, carried, async (run) => {
    run.enter('crawling');
    const { streams } = run.ctx;
    if (streams.includes('tenders')) {
      await readListing(run, 'nomenclatures');
      await readListing(run, 'tenders');
    }
    if (streams.includes('watch_events')) await readListing(run, 'watched_companies');
    if (streams.includes('tenders')) await crawlStream(run, 'tender_details');
    if (streams.includes('watch_events')) await crawlStream(run, 'watch_events');
    if (streams.includes('contact_metrics')) await readListing(run, 'contact_metrics');
    for (const stream of STALE_STREAMS) if (streams.includes(stream)) await crawlStream(run, stream);
  });
}
