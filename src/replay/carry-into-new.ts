import type { Config } from '../core/config.js';
import type { Database } from '../duckdb/database.js';
import { takeUnlessLost } from '../remote/take-published.js';
import { workingCopyOf } from '../working-copy/open.js';
import { carryModels } from './carry-models.js';

type Place = Pick<Config, 'publish' | 'dataDir' | 'file'>;

/**
 * Copies the records about models from the published build into a new warehouse. They say what each version promises, and
 * whether a rollback is in effect. With the data in a bucket, a machine without a checkpoint begins with a new warehouse.
 * Does nothing if the warehouse has such records, or if the data is in a folder.
 * @returns whether records were copied; then no model is built yet
 */
export async function carryIntoNew(db: Database, config: Place): Promise<boolean> {
  if (workingCopyOf(config.dataDir) === undefined || (await hasModels(db))) return false;
  await takeUnlessLost(config);
  await db.transaction(() => carryModels(db, null, [config.dataDir]));
  return hasModels(db);
}

async function hasModels(db: Database): Promise<boolean> {
  return (await db.count('SELECT count(*) FROM ledger.models')) > 0;
}
