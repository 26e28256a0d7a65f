import type { RunRecord } from '../../../schemas/pipeline/landing.js';
import { latestDate } from '../../base/time/clock.js';
import { readManifests, readPartRows } from '../../landing/index.js';

/**
 * Returns the date of the latest complete watch sync. Returns undefined if there was none. Skips syncs with
 * another outcome, syncs of a single past day, and syncs with a date in the future, from a clock that was ahead: if they
 * counted, the next sync would miss earlier events.
 */
export function lastSyncDate(dataDir: string, now?: Date): string | undefined {
  const today = now && latestDate(now);
  return readManifests(dataDir, { stream: 'runs' })
    .filter((part) => part.chunk === 'close')
    .flatMap(readPartRows)
    .map((row) => JSON.parse(row.body) as RunRecord)
    .filter((run) => run.workflow_type === 'watchSync' && run.as_of_now && run.outcome === 'complete')
    .map((run) => run.date)
    .filter((date) => today === undefined || date <= today)
    .toSorted()
    .at(-1);
}
