import type { LoadResult } from '../../schemas/pipeline/activities.js';
import type { Warehouse } from '../duckdb/open.js';
import { loadLanding } from './load.js';

const REJECTS_OF_RUN = 'SELECT coalesce(sum(rejects), 0) FROM ledger.loaded_parts WHERE run = $run';

/**
 * Loads every landed part that is not in the ledger yet. Then counts the rejects of a run.
 * @throws LandingCorruptError when landed parts are damaged (see `loadLanding`)
 */
export async function loadForRun(warehouse: Warehouse, dataDir: string, run: string): Promise<LoadResult> {
  const { parts, rows, driftFault, gone } = await loadLanding(warehouse, dataDir);
  return { parts, rows, driftFault, gone, rejects: await warehouse.db.count(REJECTS_OF_RUN, { run }) };
}
