import type { Database } from '../duckdb/database.js';
import { withMemory } from '../duckdb/in-memory.js';
import { ensureSchema } from '../duckdb/schema.js';
import { prepareSession } from '../duckdb/session.js';
import { identifier } from '../duckdb/sql-files.js';
import { putSettings } from './build-model.js';
import { MODEL_SCHEMAS, type Model } from './models.js';
import { withOwn } from './own/use-own.js';

/**
 * Runs `work` on a warehouse in memory in which the tables of all models are empty. So DuckDB can bind queries as in a
 * build, without data.
 * @param onFault Called if a table cannot be created, for example because its header names an unknown type
 */
export async function withEmptyTables<T>(
  models: readonly Model[],
  work: (db: Database) => Promise<T>,
  onFault: (model: Model, error: unknown) => void,
): Promise<T> {
  return withMemory(':memory:', async (db) => {
    await prepareSession(db);
    await putSettings(db, { personalData: true });
    await ensureSchema(db);
    for (const schema of MODEL_SCHEMAS) await db.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    for (const model of models) await createEmpty(db, model).catch((error: unknown) => onFault(model, error));
    return withOwn(db, models, () => work(db));
  });
}

/** Creates a model's table without rows. */
export async function createEmpty(db: Database, { model, columns }: Model): Promise<void> {
  const described = Object.entries(columns).map(([name, { type }]) => `${identifier(name)} ${type}`);
  await db.run(`CREATE TABLE ${model} (${described.join(', ')})`);
}
