import { existsSync } from 'node:fs';
import { WarehouseBusyError } from '../../warehouse/duckdb/errors.js';
import type { Database } from '../../warehouse/duckdb/database.js';
import { readWholly } from '../../warehouse/duckdb/read-wholly.js';
import { readOnly } from '../../warehouse/duckdb/open.js';
import { hasSchema, WarehouseOutdatedError } from '../../warehouse/duckdb/schema.js';
import { describeGone, readLoadedParts } from '../../warehouse/load/load.js';
import { missingWarehouse, REPLAY } from '../../warehouse/load/missing-warehouse.js';
import { listParts } from '../../warehouse/load/part-check.js';
import { warehouseFile } from '../../store/data-folder.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { fail, ok, warn, type Finding } from './finding.js';

/** Message about loaded parts that are missing in the landing zone; null when none is missing. */
async function findGone(db: Database, dataDir: string): Promise<string | null> {
  const loaded = await readLoadedParts(db);
  const { parts, faults } = listParts(dataDir);
  return faults.length > 0 ? null : describeGone(parts, loaded);
}

/** Reads the writer's file completely, to find damage. If a worker has it open, the check passes. */
export async function checkWarehouse(dataDir: string): Promise<Finding> {
  const missing = await missingWarehouse({ dataDir });
  if (missing !== null) return warn('warehouse', missing, REPLAY);
  const file = warehouseFile(dataDir);
  if (!existsSync(file)) return ok('warehouse', 'none yet; the first run creates it');
  try {
    const gone = await readOnly(file, async (db) => {
      await readWholly(db);
      return (await hasSchema(db)) ? findGone(db, dataDir) : null;
    });
    if (gone === null) return ok('warehouse', `${file}, read completely`);
    return warn(
      'warehouse',
      gone,
      'Possible cause: only the landing zone or only the warehouse was restored from a backup. Tidemark does not fetch the missing records again.',
    );
  } catch (error) {
    if (error instanceof WarehouseBusyError) return ok('warehouse', `${file}, in use by a worker`);
    if (error instanceof WarehouseOutdatedError) return warn('warehouse', error.message, error.todo);
    if (error instanceof TidemarkError) return fail('warehouse', error);
    return fail(
      'warehouse',
      new TidemarkError('Internal', `Cannot open ${file}: ${errorMessage(error)}`, {
        todo: 'Run `tidemark replay`: it makes the warehouse again from the landing zone, without requests.',
        cause: error,
      }),
    );
  }
}
