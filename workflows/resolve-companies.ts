import type { CarriedRun } from '../schemas/pipeline/carried.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import { crawlStream } from './run/steps.js';
import { withRun } from './run/with-run.js';

/**
 * Identifies the companies of a list.
 * @param input `{file}`: a CSV file in `resolve/` of the data folder
 */
export async function resolveCompanies(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('resolveCompanies', input, carried, async (run) => {
    run.enter('crawling');
    await crawlStream(run, 'matches');
  });
}
