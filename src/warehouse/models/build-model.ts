import { errorMessage, TidemarkError } from '../../base/errors.js';
import { commentOn } from '../duckdb/comments.js';
import type { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { MODEL_SCHEMAS, plainType, type Model } from './models.js';
import { identifier, quote } from '../duckdb/sql-files.js';

/**
 * How a model is built.
 * - `whole`: builds the entire table again, and checks its columns.
 * - `changed`: of an incremental model, replaces only the keys that changed. Builds any other model as a whole.
 */
export type How = 'whole' | 'changed';

/** Tables and views of the models' schemas, by name. */
export type Relations = ReadonlyMap<string, 'TABLE' | 'VIEW'>;

/** Fills the temp table `settings`, which the models read. */
export async function putSettings(db: Database, { personalData }: { personalData: boolean }): Promise<void> {
  await db.run('CREATE OR REPLACE TEMP TABLE settings AS SELECT CAST($keep AS BOOLEAN) AS personal_data', {
    keep: personalData,
  });
}

/** Lists the tables and views in the schemas of the models. */
export async function readRelations(db: Database): Promise<Relations> {
  const schemas = MODEL_SCHEMAS.map(quote).join(', ');
  const rows = await db.rows<{ name: string; type: 'TABLE' | 'VIEW' }>(
    `SELECT schema_name || '.' || table_name AS name, 'TABLE' AS type FROM duckdb_tables()
     WHERE database_name = current_database() AND schema_name IN (${schemas})
     UNION ALL
     SELECT schema_name || '.' || view_name, 'VIEW' FROM duckdb_views()
     WHERE database_name = current_database() AND schema_name IN (${schemas})`,
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}

/**
 * Builds one model in the warehouse and replaces its table or view.
 * @param isInPlace whether the same model made the table, so that its columns and comments stay
 * @returns false when the table keeps its rows: an incremental model has no changed keys, or a small table gets the same
 * rows again. Then models that read it need no build
 * @throws ModelFailedError, naming the model's file
 */
export async function buildModel(
  db: Database,
  model: Model,
  how: How,
  existing: Relations,
  isInPlace = false,
): Promise<boolean> {
  return naming(model, async () => {
    const before = existing.get(model.model);
    const type = model.kind === 'view' ? 'VIEW' : 'TABLE';
    if (before !== undefined && before !== type) await dropRelation(db, model.model, before);
    await fillChanged(db, model, how);
    // A view shows changed rows without a new definition.
    if (isInPlace && type === 'VIEW') return true;
    if (how === 'changed' && model.kind !== 'view' && model.incremental !== undefined)
      return replaceKeys(db, model, model.incremental.by);
    if (isInPlace) {
      const rows = await db.count(`SELECT count(*) FROM ${model.model}`);
      if (rows <= MOST_COMPARED) return replaceRows(db, model, rows);
    }
    await db.run(`CREATE OR REPLACE ${type} ${model.model} AS ${model.sql}`);
    // Skip this check for an unchanged model: it passed the check after its last change.
    if (how === 'whole') await checkColumns(db, model);
    await describeModel(db, model);
    return true;
  });
}

// Tables with more rows are replaced without a comparison.
const MOST_COMPARED = 10_000;

/** Replaces the rows of a table. Returns false if they stay the same. */
async function replaceRows(db: Database, { model, sql }: Model, before: number): Promise<boolean> {
  if (before === 0) {
    await db.run(`INSERT INTO ${model} BY NAME ${sql}`);
    return (await db.count(`SELECT count(*) FROM ${model}`)) > 0;
  }
  await db.run(`CREATE OR REPLACE TEMP TABLE made AS ${sql}`);
  const rows = await db.rows<{ rows: string }>(`${contentOf(model)} UNION ALL ${contentOf('made')}`);
  if (rows[0]?.rows === rows[1]?.rows) return false;
  await db.run(`DELETE FROM ${model}; INSERT INTO ${model} FROM made`);
  return true;
}

/**
 * Returns a query for the number of a table's rows, with two hashes of 64 bits that do not depend on their order. One is of
 * the rows as text, because DuckDB's hash() gives [] and NULL the same hash, and also [[1], [2]] and [[1, 2]].
 */
function contentOf(table: string): string {
  return `SELECT (count(*), sum(CAST(hash(_row) AS HUGEINT)), bit_xor(hash(CAST(_row AS VARCHAR))))::VARCHAR AS rows FROM ${table} AS _row`;
}

/** Sets the comments of a model's table or view, and of its columns. A copy of the warehouse file has them, too. */
export async function describeModel(db: Database, model: Model): Promise<void> {
  const columns = Object.entries(model.columns).map(([name, { comment }]) => [name, comment] as const);
  await commentOn(db, model.model, describeTable(model), columns, model.kind === 'view' ? 'VIEW' : 'TABLE');
}

/** Returns the comment of a model's table. */
function describeTable({ description, grain, key }: Model): string {
  return `${description} One row per ${grain}; key: ${key.join(', ')}.`;
}

/** Drops the table or view of a model that no longer exists. */
export async function dropRelation(db: Database, name: string, type: 'TABLE' | 'VIEW'): Promise<void> {
  await db.run(`DROP ${type} IF EXISTS ${name.split('.').map(identifier).join('.')}`);
}

async function naming<T>(model: Model, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    throw new ModelFailedError(
      `Model ${model.model} (${model.path}): ${errorMessage(error)}`,
      'Correct that file. The tables were not changed.',
      { cause: error },
    );
  }
}

/** Fills the temp table `changed` with the keys to build. An incremental model's query and audits read this table. */
export async function fillChanged(db: Database, { incremental }: Model, how: How): Promise<void> {
  if (incremental === undefined) return;
  await db.run(`CREATE OR REPLACE TEMP TABLE changed AS ${how === 'changed' ? incremental.changed : incremental.all}`);
}

async function replaceKeys(db: Database, model: Model, by: string[]): Promise<boolean> {
  if ((await db.count('SELECT count(*) FROM changed')) === 0) return false;
  const same = by.map((column) => `old.${identifier(column)} = changed.${identifier(column)}`).join(' AND ');
  await db.run(`DELETE FROM ${model.model} AS old USING changed WHERE ${same}`);
  await db.run(`INSERT INTO ${model.model} BY NAME ${model.sql}`);
  return true;
}

/**
 * Checks that the built table has the columns of the header, with the same names, order and types.
 * @throws ModelFailedError when they differ
 */
async function checkColumns(db: Database, model: Model): Promise<void> {
  const difference = await columnDifference(db, model, model.model);
  if (difference === null) return;
  throw new ModelFailedError(
    `Model ${model.model} (${model.path}) does not return the columns that its header promises: ${difference}.`,
    'Change the query or the header; a breaking change needs a new version.',
  );
}

/** Compares the columns of a table or query with those of the header. Returns null if they are the same. */
export async function columnDifference(db: Database, model: Model, relation: string): Promise<string | null> {
  const described = await db.rows<{ column_name: string; column_type: string }>(`DESCRIBE ${relation}`);
  const actual = described.map((row) => `${row.column_name} ${plainType(row.column_type)}`);
  const promised = Object.entries(model.columns).map(([name, { type }]) => `${name} ${plainType(type)}`);
  if (actual.join() === promised.join()) return null;
  const missing = promised.filter((column) => !actual.includes(column));
  const surplus = actual.filter((column) => !promised.includes(column));
  return missing.length + surplus.length === 0
    ? 'their order differs'
    : `missing ${missing.join(', ') || 'none'}; not in the header ${surplus.join(', ') || 'none'}`;
}
