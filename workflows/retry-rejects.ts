import type { CarriedRun } from '../schemas/pipeline/carried.js';
import type { RetryStream, RunResult } from '../schemas/pipeline/run.js';
import { crawlStream } from './run/steps.js';
import { withRun } from './run/with-run.js';

/**
 * Fetches the records of open rejects again, and nothing else. Ends at once when there are no open rejects.
 * @param input `{streams, market}`
 */
export async function retryRejects(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('retryRejects', input, carried, async (run) => {
    run.enter('crawling');
    const idle: boolean[] = [];
    for (const stream of run.ctx.streams as RetryStream[]) idle.push(await crawlStream(run, stream));
    run.idle = idle.every(Boolean);
  });
}
