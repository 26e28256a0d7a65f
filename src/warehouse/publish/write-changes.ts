import { tableBegun } from '../../base/observed.js';
import type { Database } from '../duckdb/database.js';
import { identifier } from '../duckdb/sql-files.js';
import { changedKeysSince, type Since } from '../models/changed-keys.js';
import type { Model } from '../models/models.js';
import {
  changedContents,
  isSame,
  readContents,
  readHashes,
  rowHash,
  type Contents,
  type TableContents,
} from './contents.js';
import { isRead, requireSame, type Comparison } from './comparison.js';
import { keyOf } from './write-full.js';

/** What an incremental publication did to one table. */
export interface TableChanges {
  model: Model;
  /** Number of rows that were added, replaced or removed. */
  rows: number;
  /**
   * Temp table with these rows, sorted by key: the columns of the model and `_removed`. Removed rows have values only in
   * the key columns. The caller drops the table with `dropDifferences`.
   */
  difference: string;
  /** Contents of the rows that were inserted. They are the last rows of the table. */
  inserted: Contents;
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
 * @param comparison Tables of which all rows are read
 * @returns contents that the tables must have now, and the tables that changed
 * @throws ModelFailedError when the warehouse has rows that the changes do not explain
 */
export async function writeChanges(
  db: Database,
  models: readonly Model[],
  { since, built, before, comparison }: { since: Since; built: boolean; before: TableContents; comparison: Comparison },
): Promise<{ contents: TableContents; changes: TableChanges[] }> {
  const contents: TableContents = new Map(before);
  const changes: TableChanges[] = [];
  for (const [done, model] of models.entries()) {
    // The lake has the same tables again.
    tableBegun.report({ name: model.model, done, total: 2 * models.length });
    const source = await openSource(db, model, since, built);
    const known = before.get(model.model) ?? { rows: 0, hash: '' };
    if (source === null) {
      if (comparison.all) await requireSame(db, model, known);
      continue;
    }
    const now = source.keys === null ? await readContents(db, model, source.relation) : null;
    if (now !== null && isSame(now, known)) continue;
    const difference = `temp.difference_${changes.length}`;
    const { rows, removed, added } = await findDifference(db, model, source, difference);
    if (rows === 0 && !comparison.all) continue;
    const expected = changedContents(known, removed, added);
    if (now === null) await requireSame(db, model, expected, { read: isRead(comparison, expected) });
    if (rows === 0) continue;
    const rewritten = await applyDifference(db, model, source, { difference, rows, rowsBefore: known.rows });
    contents.set(model.model, now ?? expected);
    changes.push({ model, rows, difference, inserted: rewritten ? (now ?? expected) : added });
  }
  for (const table of ['changed_now', 'source_rows', 'differing_keys'])
    await db.run(`DROP TABLE IF EXISTS temp.${table}`);
  return { contents, changes };
}

/** Drops the temp tables of changes. */
export async function dropDifferences(db: Database, changes: readonly TableChanges[]): Promise<void> {
  for (const { difference } of changes) await db.run(`DROP TABLE IF EXISTS ${difference}`);
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
    // Builds of the models write changed rows at the end of a table. Row numbers let DuckDB skip the rows before.
    await db.run(
      `CREATE OR REPLACE TEMP TABLE source_rows AS FROM ${model.model} WHERE rowid IN
       (SELECT rowid FROM ${model.model} SEMI JOIN changed_now USING (${by.map(identifier).join(', ')}))`,
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

/**
 * Compares the rows of a table in `build` with the rows of the source. Writes the keys of rows that differ into the temp
 * table `differing_keys`, and the rows, sorted by key, into the temp table `difference`.
 * @returns the number of keys, and the contents of the rows to remove and to add
 */
async function findDifference(
  db: Database,
  model: Model,
  source: Source,
  difference: string,
): Promise<{ rows: number; removed: Contents; added: Contents }> {
  const compared =
    source.keys === null ? '' : `SEMI JOIN changed_now USING (${source.keys.map(identifier).join(', ')})`;
  const key = model.key.map(identifier);
  const columns = [...key.map((name) => `t.${name}`), 't.rowid AS _row', `${rowHash(model)} AS _hash`].join(', ');
  const sameKey = key.map((name) => `n.${name} IS NOT DISTINCT FROM o.${name}`);
  await db.run(
    `CREATE OR REPLACE TEMP TABLE differing_keys AS
     SELECT ${key.map((name) => `coalesce(n.${name}, o.${name}) AS ${name}`).join(', ')}, n._row AS new_row, o._row AS old_row,
       n._hash AS new_hash, o._hash AS old_hash
     FROM (SELECT ${columns} FROM ${source.relation} AS t) AS n
     FULL JOIN (SELECT ${columns} FROM build.${model.model} AS t ${compared}) AS o
     ON ${sameKey.join(' AND ')}
     WHERE n._hash IS DISTINCT FROM o._hash`,
  );
  const rows = await db.count('SELECT count(*) FROM differing_keys');
  const removed = await readHashes(db, 'differing_keys', 'old_hash');
  const added = await readHashes(db, 'differing_keys', 'new_hash');
  if (rows > 0)
    await db.run(
      `CREATE OR REPLACE TEMP TABLE ${difference} AS
       SELECT * FROM (
         SELECT *, false AS _removed FROM ${source.relation}
         WHERE rowid IN (SELECT new_row FROM differing_keys WHERE new_row IS NOT NULL)
         UNION ALL BY NAME
         SELECT ${key.join(', ')}, true AS _removed FROM differing_keys WHERE new_row IS NULL
       ) ORDER BY ${keyOf(model)}`,
    );
  return { rows, removed, added };
}

/** Makes the rows of a table in `build` equal to the rows of the source. Returns whether it wrote all rows. */
async function applyDifference(
  db: Database,
  model: Model,
  source: Source,
  { difference, rows, rowsBefore }: { difference: string; rows: number; rowsBefore: number },
): Promise<boolean> {
  const table = `build.${model.model}`;
  if (rows > REWRITE_SHARE * rowsBefore) {
    await db.run(`DELETE FROM ${table}`);
    const all = source.keys === null ? source.relation : model.model;
    await db.run(`INSERT INTO ${table} BY NAME FROM ${all} ORDER BY ${keyOf(model)}`);
    return true;
  }
  // The condition on the keys is not needed, but DuckDB then compares row numbers only of the rows with these keys.
  const ofKeys = source.keys === null ? '' : `(${source.keys.map(identifier).join(', ')}) IN (FROM changed_now) AND`;
  await db.run(
    `DELETE FROM ${table} WHERE ${ofKeys} rowid IN (SELECT old_row FROM differing_keys WHERE old_row IS NOT NULL)`,
  );
  await db.run(`INSERT INTO ${table} BY NAME SELECT * EXCLUDE (_removed) FROM ${difference} WHERE NOT _removed`);
  return false;
}
