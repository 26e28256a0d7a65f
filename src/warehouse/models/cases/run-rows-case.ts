import type { Database } from '../../duckdb/database.js';
import { ModelFailedError } from '../../duckdb/errors.js';
import { dropRelation, readRelations } from '../build-model.js';
import { MODEL_SCHEMAS, type Model } from '../models.js';
import { withOwn } from '../own/use-own.js';
import type { RowsCase } from './read-cases.js';
import type { Row } from './compare-rows.js';
import { identifier, quote } from '../../duckdb/sql-files.js';

/**
 * Runs one model on the given rows of the tables that it reads. Tables without given rows are empty.
 * @param db An empty warehouse
 * @returns Rows with only the expected columns (all columns if no row is expected), in any order
 * @throws ModelFailedError when the model does not exist or does not read a given table
 */
export async function runOnRows(db: Database, { model: name, given, expect }: RowsCase, models: readonly Model[]) {
  const model = models.find((each) => each.model === name);
  if (model === undefined) throw wrongCase(`There is no model ${name}.`);
  await db.run('CREATE TEMP TABLE settings AS SELECT true AS personal_data');
  for (const schema of MODEL_SCHEMAS) await db.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
  const existing = await readRelations(db);
  for (const parent of models.filter((each) => model.parents.includes(each.model))) {
    const columns = Object.entries(parent.columns).map(([column, { type }]) => `${identifier(column)} ${type}`);
    await dropRelation(db, parent.model, existing.get(parent.model) ?? 'TABLE');
    await db.run(`CREATE TABLE ${parent.model} (${columns.join(', ')})`);
  }
  for (const { input, rows } of given) {
    if (!/^(?:ledger|base)\./.test(input) && !model.parents.includes(input))
      throw wrongCase(`${name} does not read ${input}: it reads ${model.parents.join(', ') || 'no other model'}.`);
    await insertRows(db, input, rows);
  }
  const wanted = [...new Set(expect.rows.flatMap((row) => Object.keys(row)))];
  return withOwn(db, [model], async () => {
    if (model.incremental !== undefined) await db.run(`CREATE TEMP TABLE changed AS ${model.incremental.all}`);
    return db.rows(`SELECT ${wanted.map(identifier).join(', ') || '*'} FROM (${model.sql})`);
  });
}

/**
 * Inserts rows. DuckDB converts the JSON values to the types of the columns. A column that a row lacks becomes NULL.
 */
async function insertRows(db: Database, table: string, rows: Row[]): Promise<void> {
  const described = await db.rows<{ column_name: string; column_type: string }>(`DESCRIBE ${table}`);
  const types = new Map(described.map((row) => [row.column_name, row.column_type]));
  for (const row of rows) {
    const names = Object.keys(row);
    const unknown = names.find((column) => !types.has(column));
    if (unknown !== undefined) throw wrongCase(`${table} has no column ${unknown}.`);
    const shape = JSON.stringify(Object.fromEntries(names.map((column) => [column, types.get(column)])));
    await db.run(
      `INSERT INTO ${table} BY NAME SELECT given.* FROM (SELECT from_json(CAST($row AS JSON), ${quote(shape)}) AS given)`,
      { row: JSON.stringify(row) },
    );
  }
}

function wrongCase(what: string): ModelFailedError {
  return new ModelFailedError(what, 'Correct the test case.');
}
