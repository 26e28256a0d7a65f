import { tableBegun } from '../core/observed.js';
import type { Database } from '../duckdb/database.js';
import { identifier } from '../duckdb/sql-files.js';
import { changedKeysSince, type Since } from '../models/changed-keys.js';
import type { Model } from '../models/models.js';
import { readContents, rowHash, type Contents, type TableContents } from './contents.js';
import { keyOf } from './write-full.js';

/** What an incremental publication did to one table. */
export interface TableChanges {
  model: Model;
  /** Number of rows that were added, replaced or removed. */
  rows: number;
}

// If more than this share of a table's rows differ, all rows are written again: that is faster, and the rows are sorted.
const REWRITE_SHARE = 0.5;

/**
 * Changes the attached database `build`, a copy of an earlier build, so that each table has the rows of the warehouse.
 * Deletes and inserts only rows that differ.
 *
 * - Incremental models: compares the rows of the keys that changed since the earlier build.
 * - Other tables: compares all rows. Skips them if the models were not built since then.
 * - Views: compares all rows, because a view also changes when the ledger changes.
 * @param before Contents of the tables in the earlier build
 * @returns contents of the tables in the warehouse, and the tables that changed
 */
export async function writeChanges(
  db: Database,
  models: readonly Model[],
  { since, built, before }: { since: Since; built: boolean; before: TableContents },
): Promise<{ contents: TableContents; changes: TableChanges[] }> {
  const contents: TableContents = new Map(before);
  const changes: TableChanges[] = [];
  for (const [done, model] of models.entries()) {
    // The lake has the same tables again.
    tableBegun.report({ name: model.model, done, total: 2 * models.length });
    const source = await openSource(db, model, since, built);
    if (source === null) continue;
    const now = source.keys === null ? await readContents(db, model, source.relation) : null;
    if (now !== null && isSame(now, before.get(model.model))) continue;
    const rows = await applyDifference(db, model, source, before.get(model.model)?.rows ?? 0);
    if (rows === 0) continue;
    contents.set(model.model, now ?? (await readContents(db, model, model.model)));
    changes.push({ model, rows });
  }
  for (const table of ['changed_now', 'source_rows', 'difference']) await db.run(`DROP TABLE IF EXISTS temp.${table}`);
  return { contents, changes };
}

/** Where to read the rows of a model that may differ from the earlier build. */
interface Source {
  relation: string;
  /** Columns that select the rows to compare: those of the temp table `changed_now`. Null: compare all rows. */
  keys: string[] | null;
}

/** Returns where to read the rows that may differ; null if no row can differ. */
async function openSource(db: Database, model: Model, since: Since, built: boolean): Promise<Source | null> {
  if (model.incremental !== undefined) {
    if (!since.changed.has(model.model)) return null;
    const { by } = model.incremental;
    await db.run(`CREATE OR REPLACE TEMP TABLE changed_now AS ${changedKeysSince(since.build, model)}`);
    await db.run(
      `CREATE OR REPLACE TEMP TABLE source_rows AS FROM ${model.model} SEMI JOIN changed_now USING (${by.map(identifier).join(', ')})`,
    );
    return { relation: 'temp.source_rows', keys: by };
  }
  if (model.kind === 'view') {
    // Read a view once, because it may give other rows when it is read again.
    await db.run(`CREATE OR REPLACE TEMP TABLE source_rows AS FROM ${model.model}`);
    return { relation: 'temp.source_rows', keys: null };
  }
  return built ? { relation: model.model, keys: null } : null;
}

/** Makes the rows of a table in `build` equal to the rows of the source. Returns the number of rows that differed. */
async function applyDifference(db: Database, model: Model, source: Source, rowsBefore: number): Promise<number> {
  const table = `build.${model.model}`;
  const compared = source.keys && `SEMI JOIN changed_now USING (${source.keys.map(identifier).join(', ')})`;
  const key = model.key.map(identifier);
  const columns = key.map((name) => `t.${name}`).join(', ');
  const sameKey = key.map((name) => `n.${name} IS NOT DISTINCT FROM o.${name}`).join(' AND ');
  await db.run(
    `CREATE OR REPLACE TEMP TABLE difference AS
     SELECT ${key.map((name) => `coalesce(n.${name}, o.${name}) AS ${name}`).join(', ')}, n.row_hash IS NOT NULL AS is_new, o.old_row
     FROM (SELECT ${columns}, ${rowHash(model)} AS row_hash FROM ${source.relation} AS t) AS n
     FULL JOIN (SELECT ${columns}, t.rowid AS old_row, ${rowHash(model)} AS row_hash FROM ${table} AS t ${compared ?? ''}) AS o
     ON ${sameKey}
     WHERE n.row_hash IS DISTINCT FROM o.row_hash`,
  );
  const rows = await db.count('SELECT count(*) FROM difference');
  if (rows === 0) return 0;
  if (rows > REWRITE_SHARE * rowsBefore) {
    await db.run(`DELETE FROM ${table}`);
    const all = source.keys === null ? source.relation : model.model;
    await db.run(`INSERT INTO ${table} BY NAME FROM ${all} ORDER BY ${keyOf(model)}`);
    return rows;
  }
  await db.run(`DELETE FROM ${table} WHERE rowid IN (SELECT old_row FROM difference WHERE old_row IS NOT NULL)`);
  await db.run(
    `INSERT INTO ${table} BY NAME
     SELECT n.* FROM ${source.relation} AS n
     WHERE EXISTS (FROM difference AS o WHERE is_new AND ${sameKey})
     ORDER BY ${keyOf(model)}`,
  );
  return rows;
}

function isSame(left: Contents, right: Contents | undefined): boolean {
  return left.rows === right?.rows && left.hash === right.hash;
}
