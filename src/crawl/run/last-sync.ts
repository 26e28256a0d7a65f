import type { RunRecord } from '../../../schemas/pipeline/landing.js';
import { readManifests, readPartRows } from '../../landing/index.js';

/**
 * Returns the date of the latest complete watch sync. Returns undefined if there was none. Skips syncs with
 * another outcome and syncs of a single past day: if they counted, the next sync would miss earlier events.
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
