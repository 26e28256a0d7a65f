import type { CarriedRun } from '../schemas/pipeline/carried.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import { crawlStream } from './run/steps.js';
import { withRun } from './run/with-run.js';

/**
 * Enriches the people of a list.
 * @param input `{file}`: a list in `resolve/` of the data folder
 */
export async function enrichPeople(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('enrichPeople', input, carried, async (run) => {
    run.enter('crawling');
    await crawlStream(run, 'enrichments');
  });
}
