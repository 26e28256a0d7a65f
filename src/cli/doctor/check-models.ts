import type { Config } from '../../config/config.js';
import { WarehouseBusyError } from '../../warehouse/duckdb/errors.js';
import { refuseBreaking } from '../../warehouse/models/plan.js';
import { readPlan } from '../../warehouse/models/read-plan.js';
import { fail, ok, skip, warn, type Finding } from './finding.js';

/**
 * Checks that the next run can build the SQL models: the files can be read, and no file contains a breaking change
 * without a new version.
 */
export async function checkModels({ dataDir, modelsDir }: Config, now: Date): Promise<Finding> {
  try {
    const { changes, held } = await readPlan(dataDir, { modelsDir, now });
    if (held !== null)
      return warn(
        'models',
        `since the rollback of ${held.since}, each run builds the restored set of models and ignores the model files`,
        'To build the model files again, run `tidemark models apply`.',
      );
    refuseBreaking(changes);
    const changed = changes.filter(({ change }) => change !== 'unchanged').length;
    return ok(
      'models',
      changed === 0
        ? `${changes.length} models; none has changed since it was applied`
        : `${changes.length} models; the next run applies the changes to ${changed} of them`,
    );
  } catch (error) {
    if (error instanceof WarehouseBusyError) return skip('models', 'not checked: a worker is using the warehouse');
    return fail('models', error);
  }
}
