import type { CarriedRun } from '../schemas/pipeline/carried.js';
import type { RunResult } from '../schemas/pipeline/run.js';
import { crawlStream } from './run/steps.js';
import { withRun } from './run/with-run.js';

// A check costs money. With one request in flight, a killed worker repeats at most one check. An operator may raise
// this number with `tidemark concurrency`.
const CHECKS_IN_FLIGHT = 1;

/**
 * Checks the payees of a list and reads the reports of the checks.
 * @param input `{file}`: a CSV file in `payees/` of the data folder; also `{recheckAfterSeconds, reports}`
 */
export async function checkPayees(input?: unknown, carried?: CarriedRun): Promise<RunResult> {
  return withRun('checkPayees', input, carried, async (run) => {
    run.enter('crawling');
    run.concurrency ??= CHECKS_IN_FLIGHT;
    await crawlStream(run, 'payee_checks');
    // Reading a report twice costs nothing, so a killed worker may repeat several requests. Use the configured number of
    // requests in flight.
    if (run.concurrency === CHECKS_IN_FLIGHT) run.concurrency = null;
    if (run.ctx.streams.includes('payee_reports')) await crawlStream(run, 'payee_reports');
  });
}
