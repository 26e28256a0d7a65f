import type { RunRecord } from '../../schemas/pipeline/landing.js';
import { readManifests, readPartRows } from '../landing/index.js';

/**
 * Logical date of the latest watch sync that read everything up to its day; undefined when there was none. One that
 * failed half-way, or read a single past day, does not count: the events between would never be asked for again.
 */
export function lastSyncDate(dataDir: string): string | undefined {
  return readManifests(dataDir, { stream: 'runs' })
    .filter((part) => part.chunk === 'close')
    .flatMap(readPartRows)
    .map((row) => JSON.parse(row.body) as RunRecord)
    .filter((run) => run.workflow_type === 'watchSync' && run.as_of_now && run.outcome === 'complete')
    .map((run) => run.date)
    .toSorted()
    .at(-1);
}
