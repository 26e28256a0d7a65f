import type { Database } from '../warehouse/duckdb/database.js';
import type { CopyConfig } from '../warehouse/builds/copy-published.js';
import { takeUnlessLost } from '../warehouse/builds/take-published.js';
import { carryModels } from './carry-models.js';

/**
 * Copies the records about models from the published build into a new warehouse. They say what each version promises, and
 * whether a rollback is in effect. A warehouse is new if its file was lost, or if a machine found no checkpoint in the
 * bucket. Does nothing if the warehouse has such records, or if nothing is published.
 * @returns whether records were copied; then no model is built yet
 */
export async function carryIntoNew(db: Database, config: CopyConfig): Promise<boolean> {
  if (await hasModels(db)) return false;
  await takeUnlessLost(config);
  await db.transaction(() => carryModels(db, null, [config.dataDir]));
  return hasModels(db);
}

async function hasModels(db: Database): Promise<boolean> {
  return (await db.count('SELECT count(*) FROM base.models')) > 0;
}
