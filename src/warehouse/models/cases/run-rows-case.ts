import type { Database } from '../../duckdb/database.js';
import { ModelFailedError } from '../../duckdb/errors.js';
import { insertRows } from '../../duckdb/insert-rows.js';
import { dropRelation, fillChanged, putSettings, readRelations } from '../build-model.js';
import { createEmpty } from '../empty-tables.js';
import type { Model } from '../models.js';
import { withOwn } from '../own/use-own.js';
import type { RowsCase } from './read-cases.js';
import type { Row } from './compare-rows.js';
import { identifier } from '../../duckdb/sql-files.js';

/**
 * Runs one model on the given rows of the tables that it reads. Tables without given rows are empty.
 * @param db An empty warehouse
 * @returns Rows with only the expected columns (all columns if no row is expected), in any order
 * @throws ModelFailedError when the model does not exist or does not read a given table
 */
export async function runOnRows(db: Database, { model: name, given, expect }: RowsCase, models: readonly Model[]) {
  const model = models.find((each) => each.model === name);
  if (model === undefined) throw wrongCase(`There is no model ${name}.`);
  await putSettings(db, { personalData: true });
  const existing = await readRelations(db);
  for (const parent of models.filter((each) => model.parents.includes(each.model))) {
    await dropRelation(db, parent.model, existing.get(parent.model) ?? 'TABLE');
    await createEmpty(db, parent);
  }
  for (const { input, rows } of given) {
    if (!/^(?:ledger|base)\./.test(input) && !model.parents.includes(input))
      throw wrongCase(`${name} does not read ${input}: it reads ${model.parents.join(', ') || 'no other model'}.`);
    await insertGiven(db, input, rows);
  }
  const wanted = [...new Set(expect.rows.flatMap((row) => Object.keys(row)))];
  return withOwn(db, [model], async () => {
    await fillChanged(db, model, 'whole');
    return db.rows(`SELECT ${wanted.map(identifier).join(', ') || '*'} FROM (${model.sql})`);
  });
}

/**
 * Inserts rows. DuckDB converts the JSON values to the types of the columns. A column that a row lacks gets its default.
 */
async function insertGiven(db: Database, table: string, rows: Row[]): Promise<void> {
  const described = await db.rows<{ column_name: string; column_type: string }>(`DESCRIBE ${table}`);
  const types = new Map(described.map((row) => [row.column_name, row.column_type]));
  for (const row of rows) {
    const shape: Record<string, string> = {};
    for (const column of Object.keys(row)) {
      const type = types.get(column);
      if (type === undefined) throw wrongCase(`${table} has no column ${column}.`);
      shape[column] = type;
    }
    await insertRows(db, table, shape, [row]);
  }
}

function wrongCase(what: string): ModelFailedError {
  return new ModelFailedError(what, 'Correct the test case.');
}
