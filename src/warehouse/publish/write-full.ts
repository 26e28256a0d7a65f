import { tableBegun } from '../../base/observed.js';
import { commentOn } from '../duckdb/comments.js';
import { countRows } from '../duckdb/count-rows.js';
import type { Database } from '../duckdb/database.js';
import { identifier } from '../duckdb/sql-files.js';
import type { Model } from '../models/models.js';
import { EMPTY, readContents, type TableContents } from './contents.js';

/**
 * Writes every table into the attached, empty database `build`. The rows are sorted by key.
 * @returns contents of the tables in the warehouse. The caller compares them with those of the new file
 */
export async function writeFull(db: Database, models: readonly Model[]): Promise<TableContents> {
  const contents: TableContents = new Map();
  for (const schema of new Set(models.map(({ model }) => model.split('.')[0])))
    await db.run(`CREATE SCHEMA IF NOT EXISTS build.${schema}`);
  const tables = models.filter(({ kind }) => kind !== 'view');
  const counts = await countRows(
    db,
    tables.map(({ model }) => model),
  );
  for (const [done, model] of models.entries()) {
    // The lake has the same tables again.
    tableBegun.report({ name: model.model, done, total: 2 * models.length });
    await copyTable(db, model);
    // A view may give other rows when it is read again. So its rows are those that were written.
    const source = model.kind === 'view' ? `build.${model.model}` : model.model;
    const isEmpty = counts.get(model.model) === 0;
    contents.set(model.model, isEmpty ? EMPTY : await readContents(db, model, source));
  }
  return contents;
}

/** Copies the table of a model into the new build, sorted by key, with its comments. */
async function copyTable(db: Database, model: Model): Promise<void> {
  const table = `build.${model.model}`;
  await db.run(`CREATE TABLE ${table} AS SELECT * FROM ${model.model} ORDER BY ${keyOf(model)}`);
  const columns = Object.entries(model.columns).map(([name, { comment }]) => [name, comment] as const);
  await commentOn(db, table, describeTable(model), columns);
}

/** Returns the key columns for ORDER BY. */
export function keyOf({ key }: Model): string {
  return key.map(identifier).join(', ');
}

/** Returns the published comment of a table. */
export function describeTable({ description, grain, key }: Model): string {
  return `${description} One row per ${grain}; key: ${key.join(', ')}.`;
}
