import type { CarriedRun } from '../schemas/pipeline/carried.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import type { FetchedStreamName } from '../schemas/streams/streams.js';
import { crawlStream } from './run/steps.js';
import { withRun } from './run/with-run.js';

/**
 * Identifies the companies of a list, then reads the records of those that are new to the warehouse.
 * @param input `{file}`: a list in `resolve/` of the data folder
 */
export async function resolveCompanies(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('resolveCompanies', input, carried, async (run) => {
    run.enter('crawling');
    for (const stream of run.ctx.streams) await crawlStream(run, stream as FetchedStreamName);
  });
}
