import { errorMessage } from '../../base/errors.js';
import type { Database } from '../duckdb/database.js';
import { withMemory } from '../duckdb/in-memory.js';
import { ensureSchema } from '../duckdb/schema.js';
import { prepareSession } from '../duckdb/session.js';
import { identifier } from '../duckdb/sql-files.js';
import { columnDifference, putSettings } from './build-model.js';
import { MODEL_SCHEMAS, type Model } from './models.js';
import { withOwn } from './own/use-own.js';

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
  return withMemory(':memory:', async (db) => {
    await prepareSession(db);
    await putSettings(db, { personalData: true });
    await ensureSchema(db);
    for (const schema of MODEL_SCHEMAS) await db.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    const found = new Map<string, string[]>();
    for (const { model, columns } of models) {
      const described = Object.entries(columns).map(([name, { type }]) => `${identifier(name)} ${type}`);
      await attempt(found, model, () => db.run(`CREATE TABLE ${model} (${described.join(', ')})`));
    }
    await withOwn(db, checked, async () => {
      for (const model of checked) await findModelFaults(db, model, found);
    });
    return found;
  });
}

async function findModelFaults(db: Database, model: Model, found: Map<string, string[]>): Promise<void> {
  const { incremental, audits } = model;
  if (incremental !== undefined) {
    await attempt(found, model.model, () => db.run(`CREATE OR REPLACE TEMP VIEW changed AS ${incremental.all}`));
    await attempt(found, model.model, () => db.rows(`DESCRIBE SELECT * FROM (${incremental.changed})`));
  }
  await attempt(found, model.model, async () => {
    const difference = await columnDifference(db, model, `SELECT * FROM (${model.sql})`);
    if (difference !== null) throw new Error(`the query does not return the columns of the header: ${difference}`);
  });
  for (const { name, sql } of audits)
    await attempt(found, model.model, () => db.rows(`DESCRIBE SELECT * FROM (${sql})`), `audit ${name}: `);
}

async function attempt(
  found: Map<string, string[]>,
  model: string,
  work: () => Promise<unknown>,
  what = '',
): Promise<void> {
  try {
    await work();
  } catch (error) {
    // The first line names the fault. The other lines repeat the query.
    const fault = `${what}${errorMessage(error).split('\n')[0]}`;
    found.set(model, [...(found.get(model) ?? []), fault]);
  }
}
