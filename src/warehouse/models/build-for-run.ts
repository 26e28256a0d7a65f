import type { ModelsResult } from '../../../schemas/pipeline/activities.js';
import { tableSettings, type Config } from '../../config/config.js';
import type { Data } from '../../store/data.js';
import type { Warehouse } from '../duckdb/open.js';
import { describeDrift } from './describe-drift.js';
import { describeUnloaded } from './describe-unloaded.js';
import { buildModels } from './run-models.js';

/**
 * Builds all models, then describes the run: its schema drift, and its companies that were not loaded.
 * @throws ModelFailedError for the same reasons as `buildModels`
 */
export async function buildForRun(
  warehouse: Warehouse,
  { config, data }: { config: Config; data: Data },
  { run, now }: { run: string; now: Date },
): Promise<ModelsResult> {
  const built = await buildModels(warehouse, { now, ...tableSettings(config, data) });
  return {
    ...built,
    drift: await describeDrift(warehouse.db, run),
    newDrift: await describeDrift(warehouse.db, run, { onlyNew: true }),
    unloaded: await describeUnloaded(warehouse.db, run),
  };
}
