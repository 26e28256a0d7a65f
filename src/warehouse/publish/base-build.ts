import { statSync } from 'node:fs';
import type { Database } from '../duckdb/database.js';
import { openReadOnly } from '../duckdb/open.js';
import { identifier } from '../duckdb/sql-files.js';
import { formatCount } from '../../../schemas/format.js';
import { buildDir, fileOf } from '../../store/data-folder.js';
import { listOwnBuilds, type Build } from '../builds/builds.js';
import { changedKeysSince, lastModelBuild, readSince, type Since } from '../models/changed-keys.js';
import { readFunctions } from '../models/functions.js';
import { plainType, type Model } from '../models/models.js';
import { rowHash, type TableContents } from './contents.js';
import { describeTable } from './write-full.js';
import { sha256 } from '../../base/hash.js';

/** An earlier build that the next publication can copy and change. */
export interface Base {
  build: Build;
  /** Path of its DuckDB file. */
  file: string;
  contents: TableContents;
  /** Size in bytes of the last file that was written in full. */
  fullBytes: number;
  /** When all rows of the file were last compared with the warehouse, as an ISO instant; null if unknown. */
  comparedAt: string | null;
  since: Since;
  /** Whether the models were built after this build was published. */
  built: boolean;
}

/** The build to copy, or the reason why all rows must be written. */
export type Choice = { base: Base } | { full: string };

// If more than this share of the rows may have changed, all rows are written again. Small changes never count.
const LARGEST_SHARE = 0.2;
const SMALL_CHANGE_ROWS = 100_000;
// How far an incremental file may grow beyond the last file that was written in full.
const LARGEST_GROWTH = 0.25;
const SMALL_GROWTH_BYTES = 16 * 2 ** 20;

/**
 * Decides whether the newest build can be copied and changed, or all rows must be written. The newest build need not be
 * the current one: a person may have switched the readers to an earlier build.
 * @param layout the layout of the tables to publish, from `layoutOf`
 */
export async function chooseBase(
  db: Database,
  dataDir: string,
  models: readonly Model[],
  layout: string,
): Promise<Choice> {
  const build = listOwnBuilds(dataDir)[0];
  if (build === undefined) return { full: 'this machine has published no earlier build' };
  const file = fileOf(buildDir(dataDir, build.name));
  const receipt = await readReceipt(file);
  if (receipt === undefined) return { full: `the receipt of ${build.name} cannot be read` };
  if (receipt.model_build === null) return { full: `${build.name} does not name the build of its models` };
  const since = await readSince(db, receipt.model_build);
  if (since === undefined) return { full: `${build.name} was not published from this warehouse` };
  if (since.otherPersonalData) return { full: 'personalData changed' };
  const changed = models.filter(({ model, fingerprint }) => receipt.models[model] !== fingerprint);
  if (changed.length > 0) return { full: `models changed: ${changed.map(({ model }) => model).join(', ')}` };
  if (since.rebuilt.length > 0) return { full: `models were rebuilt: ${since.rebuilt.join(', ')}` };
  if (receipt.layout !== layout) return { full: 'tables, comments or functions changed' };
  const fullBytes = receipt.full_bytes ?? build.bytes;
  if (build.bytes > fullBytes + Math.max(LARGEST_GROWTH * fullBytes, SMALL_GROWTH_BYTES))
    return { full: `the file grew from ${formatCount(fullBytes)} to ${formatCount(build.bytes)} bytes` };
  const contents: TableContents = new Map(
    models.map(({ model }) => [model, { rows: receipt.tables[model] ?? -1, hash: receipt.contents[model] ?? '' }]),
  );
  const much = await findLargeChange(db, models, since, contents);
  if (much !== undefined) return { full: much };
  const built = (await lastModelBuild(db))?.build !== since.build;
  return { base: { build, file, contents, fullBytes, comparedAt: receipt.compared_at, since, built } };
}

interface Receipt {
  models: Record<string, string>;
  tables: Record<string, number>;
  contents: Record<string, string>;
  layout: string;
  model_build: string | null;
  full_bytes: number | null;
  compared_at: string | null;
}

/** Reads the receipt of a published file; undefined if it cannot be read. */
async function readReceipt(file: string): Promise<Receipt | undefined> {
  // DuckDB would apply the log to the file. A complete build has none.
  if (statSync(`${file}.wal`, { throwIfNoEntry: false }) !== undefined) return undefined;
  try {
    const { db, close } = await openReadOnly(file);
    try {
      const [row] = await db.rows<{ receipt: string }>(
        `SELECT to_json({'models': models, 'tables': tables, 'contents': contents, 'layout': layout, 'model_build': model_build, 'full_bytes': full_bytes,
           'compared_at': strftime(compared_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%S.%gZ')}) AS receipt FROM meta.receipt`,
      );
      return row && (JSON.parse(row.receipt) as Receipt);
    } finally {
      close();
    }
  } catch {
    return undefined;
  }
}

/** Returns a reason to write all rows if too many rows of incremental models may have changed. */
async function findLargeChange(
  db: Database,
  models: readonly Model[],
  since: Since,
  contents: TableContents,
): Promise<string | undefined> {
  const total = [...contents.values()].reduce((sum, { rows }) => sum + rows, 0);
  let rows = 0;
  for (const model of models) {
    if (model.incremental === undefined || !since.changed.has(model.model)) continue;
    const by = model.incremental.by.map(identifier).join(', ');
    rows += await db.count(
      `SELECT count(*) FROM ${model.model} SEMI JOIN (${changedKeysSince(since.build, model)}) USING (${by})`,
    );
  }
  if (rows <= Math.max(LARGEST_SHARE * total, SMALL_CHANGE_ROWS)) return undefined;
  return `up to ${formatCount(rows)} of ${formatCount(total)} rows changed`;
}

/**
 * Returns a hash of everything in a published file but the rows: columns of the tables in the warehouse, comments,
 * functions, and the version of DuckDB.
 */
export async function layoutOf(db: Database, models: readonly Model[]): Promise<string> {
  const columns = await db.rows<{ name: string; columns: string }>(
    `SELECT schema_name || '.' || table_name AS name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY column_index) AS columns
     FROM duckdb_columns() WHERE database_name = current_database() GROUP BY ALL`,
  );
  const [duckdb] = await db.rows<{ version: string }>('SELECT version() AS version');
  const shapes = new Map(columns.map((row) => [row.name, plainType(row.columns)]));
  const tables = models.map((model) => [
    model.model,
    shapes.get(model.model) ?? '',
    describeTable(model),
    Object.entries(model.columns).map(([name, { comment }]) => [name, comment]),
  ]);
  // The SQL of the hash belongs to the layout, because hashes of different SQL cannot be compared.
  return sha256(JSON.stringify([duckdb, tables, readFunctions(), models.map(rowHash)]));
}
