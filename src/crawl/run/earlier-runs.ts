import { isDeepStrictEqual } from 'node:util';
import type { CoverageRecord, RunRecord } from '../../../schemas/pipeline/landing.js';
import type { PublishThresholds } from '../../../schemas/pipeline/run.js';
import { latestDate } from '../../base/time/clock.js';
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
  for (const run of closingRecords(dataDir, market)) {
    if (!run.as_of_now || run.held_back) continue;
    if (run.crawled !== 'complete' && run.crawled !== 'partial') continue;
    const [row] = readRunRows({ data: { dataDir }, stream: 'coverage', run: run.run_id, date: run.date });
    if (row === undefined) continue;
    const { distinct_companies: companies } = JSON.parse(row.body) as CoverageRecord;
    return { date: run.date, companies, comparable: isDeepStrictEqual(run.filters, filters) };
  }
  return null;
}

/**
 * Returns the date of the latest complete watch sync. Returns undefined if there was none. Skips syncs with
 * another outcome, syncs of a single past day, and syncs with a date in the future, from a clock that was ahead: if they
 * counted, the next sync would miss earlier events.
 */
export function lastSyncDate(dataDir: string, now: Date): string | undefined {
  const today = latestDate(now);
  for (const { workflow_type, as_of_now, outcome, date } of closingRecords(dataDir, null))
    if (workflow_type === 'watchSync' && as_of_now && outcome === 'complete' && date <= today) return date;
  return undefined;
}

/** Yields the records that closed the crawls of a market's runs, or of the runs without a market. The latest is first. */
function* closingRecords(dataDir: string, market: string | null): Generator<RunRecord> {
  const parts = readManifests(dataDir, { stream: 'runs' })
    .filter((part) => part.chunk === 'close' && part.market === market)
    .toSorted((a, b) => later(a.date, b.date) || later(a.lastFetchedAt, b.lastFetchedAt));
  for (const part of parts) for (const row of readPartRows(part)) yield JSON.parse(row.body) as RunRecord;
}

function later(a: string | null, b: string | null): number {
  return (b ?? '').localeCompare(a ?? '');
}
