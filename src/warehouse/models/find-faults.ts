import { errorMessage } from '../../base/errors.js';
import type { Database } from '../duckdb/database.js';
import { columnDifference } from './build-model.js';
import { withEmptyTables } from './empty-tables.js';
import type { Model } from './models.js';

/**
 * Finds what would stop the build of models, without data: a column or function that does not exist, and columns that
 * differ from the header. Checks query, block `incremental` and audits on empty tables.
 * @param suspects Names of the models to check. All other models only give their tables
 * @returns phrases by model name; models without a fault are missing
 */
export async function findFaults(
  models: readonly Model[],
  suspects: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string[]>> {
  const checked = models.filter(({ model }) => suspects.has(model));
  if (checked.length === 0) return new Map();
  const found = new Map<string, string[]>();
  const add = ({ model }: Model, error: unknown, what = ''): void => {
    // The first line names the fault. The other lines repeat the query.
    found.set(model, [...(found.get(model) ?? []), `${what}${errorMessage(error).split('\n')[0]}`]);
  };
  return withEmptyTables(
    models,
    async (db) => {
      for (const model of checked)
        await findModelFaults(db, model, (work, what) => work.catch((error: unknown) => add(model, error, what)));
      return found;
    },
    add,
  );
}

/** Waits for a part of the check. Records its error. */
type Attempt = (work: Promise<unknown>, what?: string) => Promise<unknown>;

async function findModelFaults(db: Database, model: Model, attempt: Attempt): Promise<void> {
  const { incremental, audits } = model;
  if (incremental !== undefined) {
    await attempt(db.run(`CREATE OR REPLACE TEMP VIEW changed AS ${incremental.all}`));
    await attempt(db.rows(`DESCRIBE SELECT * FROM (${incremental.changed})`));
  }
  await attempt(checkQuery(db, model));
  for (const { name, sql } of audits) await attempt(db.rows(`DESCRIBE SELECT * FROM (${sql})`), `audit ${name}: `);
}

async function checkQuery(db: Database, model: Model): Promise<void> {
  const difference = await columnDifference(db, model, `SELECT * FROM (${model.sql})`);
  if (difference !== null) throw new Error(`the query does not return the columns of the header: ${difference}`);
}
