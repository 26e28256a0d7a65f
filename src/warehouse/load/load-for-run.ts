import type { LoadResult } from '../../../schemas/pipeline/activities.js';
import type { Warehouse } from '../duckdb/open.js';
import { LandingCorruptError, type LoadCounts } from '../duckdb/errors.js';
import { loadLanding } from './load.js';
import type { Data } from '../../store/data.js';

const REJECTS_OF_RUN = 'SELECT coalesce(sum(rejects), 0) FROM ledger.loaded_parts WHERE run = $run';

/**
 * Loads every landed part that is not in the ledger yet. Then counts the rejects of a run. Damaged parts do not stop a
 * run: the result names them in `gone`, until they are restored.
 * @throws LandingCorruptError when only a replay can load the landed parts
 */
export async function loadForRun(warehouse: Warehouse, data: Data, run: string): Promise<LoadResult> {
  const { parts, rows, driftFault, gone, setAside, damaged } = await loadOthers(warehouse, data);
  const wrong = [gone, setAside, damaged].filter((message) => message !== undefined);
  const rejects = await warehouse.db.count(REJECTS_OF_RUN, { run });
  return { parts, rows, driftFault, gone: wrong.length === 0 ? undefined : wrong.join(' '), rejects };
}

/** Loads the sound parts. `damaged` is a message about the others. */
async function loadOthers(warehouse: Warehouse, data: Data): Promise<LoadCounts & { damaged?: string }> {
  try {
    return await loadLanding(warehouse, data);
  } catch (error) {
    if (!(error instanceof LandingCorruptError) || !error.othersLoaded) throw error;
    return { ...error.loaded, damaged: `${error.message} ${error.todo}` };
  }
}
