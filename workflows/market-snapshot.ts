import type { CarriedRun } from '../schemas/pipeline/carried.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import type { PlanDueInput } from '../schemas/pipeline/activities.js';
import { followersOf, MARKET_STREAMS, traitsOf } from '../schemas/streams/streams.js';
import { startEnrichment } from './run/owner-jobs.js';
import type { Run } from './run/run.js';
import { crawlStream, discover, readListing } from './run/steps.js';
import { withRun } from './run/with-run.js';

/**
 * Fetches the whole market as it is now, and the contact metrics of the last days. For a past date, fetches only the
 * watch events and contact metrics of that day.
 * @param input `{market, date}`
 */
export async function marketSnapshot(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('marketSnapshot', input, carried, async (run) => {
    run.enter('crawling');
    if (run.ctx.asOfNow) {
      await readListing(run, 'nomenclatures');
      await discover(run);
      for (const stream of MARKET_STREAMS) {
        if (!run.ctx.streams.includes(stream)) continue;
        await crawlStream(run, stream, stream === 'companies' ? streamsAhead(run) : []);
        for (const follower of followersOf(stream)) await crawlStream(run, follower);
      }
      if (run.ctx.ownership?.enrich) await startEnrichment(run);
    } else {
      await readListing(run, 'watched_companies');
      await crawlStream(run, 'watch_events');
    }
    await readListing(run, 'contact_metrics');
  });
}

/** Returns the streams of the run that list the same companies as the company records. */
function streamsAhead({ ctx }: Run): PlanDueInput['stream'][] {
  return MARKET_STREAMS.filter((stream) => traitsOf(stream).due === 'financials' && ctx.streams.includes(stream));
}
