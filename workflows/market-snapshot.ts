import type { CarriedRun } from '../schemas/pipeline/crawl.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import { withRun } from './run.js';
import { crawlStream, discover, finish, load, readListing } from './steps.js';

/** The whole market as it is now; for a past date only the watch events of that day. Input: `{market, date}`. */
export async function marketSnapshot(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('marketSnapshot', input, carried, async (run) => {
    run.enter('crawling');
    if (run.ctx.asOfNow) {
      await readListing(run, 'nomenclatures');
      await discover(run);
      await run.step('load search', async () => void (await load(run)));
      for (const stream of run.ctx.streams) {
        if (stream === 'companies') await crawlStream(run, 'companies');
        if (stream === 'financials') {
          // Which companies are gone decides whose report is worth a request.
          await run.step('load companies', async () => void (await load(run)));
          await crawlStream(run, 'financials');
        }
      }
    } else {
      await readListing(run, 'watched_companies');
      await run.step('load watched companies', async () => void (await load(run)));
      await crawlStream(run, 'watch_events', 'watch events');
    }
    return finish(run);
  });
}
