import type { Config } from '../core/config.js';
import type { Database } from '../duckdb/database.js';
import { takePublished } from '../remote/take-published.js';
import { isFileFault } from '../storage/errors.js';
import { carryModels } from './carry-models.js';

/**
 * Copies the records about models from the published build into a warehouse that was just created: what each version
 * promises, and whether a rollback is in effect. A machine without a checkpoint begins with such a warehouse. Does nothing
 * if the warehouse has records about models, or if nothing is published.
 */
export async function carryIntoNew(db: Database, config: Pick<Config, 'publish' | 'dataDir' | 'file'>): Promise<void> {
  if ((await db.count('SELECT count(*) FROM ledger.models')) > 0) return;
  try {
    await takePublished(config);
  } catch (error) {
    // Then an older build of this machine has to do, or none.
    if (!isFileFault(error)) throw error;
  }
  await db.transaction(() => carryModels(db, null, [config.dataDir]));
}
