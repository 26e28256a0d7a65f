import { isDeepStrictEqual } from 'node:util';
import type { CoverageRecord, RunRecord } from '../../../schemas/pipeline/landing.js';
import type { PublishThresholds } from '../../../schemas/pipeline/run.js';
import { readManifests, readPartRows, readRunRows } from '../../landing/index.js';

/**
 * Finds the current night of a market. Uses the same rule as the table ops.nights.
 * @returns the night's date, its number of members, and whether it used the given filters (`comparable`); null when no
 * night is current
 */
export function currentNight(
  dataDir: string,
  market: string,
  filters: Record<string, unknown>,
): PublishThresholds['current'] {
  const runs = readManifests(dataDir, { stream: 'runs' })
    .filter((part) => part.chunk === 'close' && part.market === market)
    .toSorted((a, b) => (a.date === b.date ? later(a.lastFetchedAt, b.lastFetchedAt) : later(a.date, b.date)));
  for (const part of runs) {
    const [run] = readPartRows(part).map((row) => JSON.parse(row.body) as RunRecord);
    if (!run?.as_of_now || run.held_back) continue;
    if (run.crawled !== 'complete' && run.crawled !== 'partial') continue;
    const [coverage] = readRunRows({ data: { dataDir }, stream: 'coverage', run: run.run_id, date: run.date }).map(
      (row) => JSON.parse(row.body) as CoverageRecord,
    );
    if (coverage === undefined) continue;
    const comparable = isDeepStrictEqual(run.filters, filters);
    return { date: run.date, companies: coverage.distinct_companies, comparable };
  }
  return null;
}

function later(a: string | null, b: string | null): number {
  return (b ?? '').localeCompare(a ?? '');
}
