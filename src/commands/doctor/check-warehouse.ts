import { existsSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { asWarehouseError } from '../../warehouse/errors.js';
import { warehouseFile } from '../../warehouse/paths.js';
import { errorMessage, TidemarkError } from '../../core/errors.js';
import { fail, ok, type Finding } from './finding.js';

/** Whether the writer's file can be opened; that a worker holds it right now is fine. */
export async function checkWarehouse(dataDir: string): Promise<Finding> {
  const file = warehouseFile(dataDir);
  if (!existsSync(file)) return ok('warehouse', 'none yet; the first run makes it');
  try {
    const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' });
    instance.closeSync();
    return ok('warehouse', file);
  } catch (error) {
    const known = asWarehouseError(error, file);
    if (known instanceof TidemarkError && known.type === 'WarehouseBusy')
      return ok('warehouse', `${file}, in use by a worker`);
    return fail(
      'warehouse',
      new TidemarkError('Internal', `${file} cannot be opened: ${errorMessage(error)}`, {
        todo: 'Move it aside: the next run builds it again from the landing zone, without fetching anything anew.',
        cause: error,
      }),
    );
  }
}
