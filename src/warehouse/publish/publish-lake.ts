import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import path from 'node:path';
import { errorMessage } from '../../base/errors.js';
import { tableBegun } from '../../base/observed.js';
import { makeFolderSync, syncFile } from '../../store/files.js';
import type { LakeFile, LakeTable } from '../builds/lake-index.js';
import type { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { parquetSelection, type TypedColumn } from '../duckdb/parquet-types.js';
import { quote } from '../duckdb/sql-files.js';
import { MODEL_SCHEMAS } from '../models/models.js';
import type { Batch, TableState } from './lake-states.js';
import { linkFile } from './link-file.js';

/** A table or view to write into the lake. */
export interface LakeSource extends TableState {
  /** Name with schema. */
  table: string;
  columns: TypedColumn[];
  /** For a view: the file of its model. */
  viewFile?: string | undefined;
  /** Texts for the footer of each file. */
  footer: Readonly<Record<string, string>>;
}

/** A lake that an earlier publication wrote. */
export interface EarlierLake {
  folder: string;
  tables: Readonly<Record<string, LakeTable>>;
}

// If a table has this many files of batches, its rows are written again into one file.
const MOST_BATCH_FILES = 30;

/** All rows of a table, or those of one night or of some batches. */
interface Slice {
  /** Name of the file. Its beginning is `data`, or the night as `YYYY-MM-DD`. Its end tells the state of the rows. */
  name: string;
  where: string;
}

/**
 * Writes tables of the open database as Parquet files (zstd), which never change. A table is one file
 * `<lake>/<schema>/<table>/data-<state>.parquet`. A table by night has one file `<night>-<state>.parquet` for each night.
 * A table to which rows are only added gets one more file. If the earlier lake has a file with this name, links it
 * instead of writing a new one. Rows are never read to find out whether they changed.
 * @returns the files of each table
 */
export async function publishLake(
  db: Database,
  sources: readonly LakeSource[],
  lake: string,
  earlier: EarlierLake | undefined,
): Promise<Record<string, LakeTable>> {
  const tables: Record<string, LakeTable> = {};
  // The rows of a file have no order, so DuckDB needs less memory and time.
  await db.run('SET preserve_insertion_order = false');
  for (const [done, source] of sources.entries()) {
    tableBegun.report({ name: `${source.table} (Parquet)`, done, total: sources.length });
    tables[source.table] = { columns: source.columns, files: await publishTable(db, source, lake, earlier) };
  }
  return tables;
}

/** Returns the number of rows of each table. */
export function countsOf(tables: Readonly<Record<string, LakeTable>>): Record<string, number> {
  const count = ({ files }: LakeTable): number => files.reduce((sum, { rows }) => sum + rows, 0);
  return Object.fromEntries(Object.entries(tables).map(([table, one]) => [table, count(one)]));
}

async function publishTable(
  db: Database,
  source: LakeSource,
  lake: string,
  earlier: EarlierLake | undefined,
): Promise<LakeFile[]> {
  makeFolderSync(path.join(lake, ...source.table.split('.')));
  const before = earlier?.tables[source.table]?.files ?? [];
  const slices = source.batches?.length ? slicesOfBatches(source.batches, before) : await slicesOf(db, source);
  const files: LakeFile[] = [];
  for (const slice of slices) {
    const name = [...source.table.split('.'), slice.name].join('/');
    const same = before.find(({ file }) => file === name);
    const isLinked =
      same !== undefined &&
      earlier !== undefined &&
      linkFile(path.join(earlier.folder, name), same.bytes, path.join(lake, name));
    files.push(isLinked ? same : await writeSlice(db, source, { ...slice, name }, lake));
  }
  return files;
}

/** Returns the name of a file. Rows without a known state get a name that no other file has. */
function nameOf(begin: string, state: string | null): string {
  return `${begin}-${(state ?? randomUUID()).replaceAll('-', '').slice(0, 16)}.parquet`;
}

async function slicesOf(db: Database, { table, state, nights, viewFile }: LakeSource): Promise<Slice[]> {
  const all = { name: nameOf('data', state), where: '' };
  if (nights === undefined) return [all];
  // A view may have very many rows, so take its nights from the states. A night without rows then gets an empty file.
  const found =
    viewFile !== undefined
      ? [...nights.keys()].toSorted()
      : (await db.rows<{ date: string }>(`SELECT DISTINCT date FROM ${table} ORDER BY date`)).map(({ date }) => date);
  // An empty table has a file, too, because readers need its columns.
  if (found.length === 0) return [all];
  return found.map((date) => ({
    name: nameOf(date, nights.get(date) ?? null),
    where: `WHERE date = DATE ${quote(date)}`,
  }));
}

/**
 * Divides batches into files: the files of the earlier lake, as far as this warehouse has their batches, and one with the
 * later batches. The name of a file has the id of its last batch.
 */
function slicesOfBatches(batches: readonly Batch[], before: readonly LakeFile[]): Slice[] {
  const lasts = new Map(batches.map(({ id, last }) => [nameOf('data', id), last]));
  const names = before.map(({ file }) => path.posix.basename(file));
  const isOther = names.findIndex((name) => !lasts.has(name));
  const kept = isOther === -1 ? names : names.slice(0, isOther);
  const newest = nameOf('data', batches.at(-1)?.id ?? null);
  const ends = kept.length < MOST_BATCH_FILES ? kept : [];
  if (ends.at(-1) !== newest) ends.push(newest);
  return ends.map((name, i) => ({
    name,
    where: `WHERE content_id > ${lasts.get(ends[i - 1] ?? '') ?? -1} AND content_id <= ${lasts.get(name)}`,
  }));
}

/**
 * Writes a file of the lake. Its name is the path in the lake.
 * @throws ModelFailedError when the rows of a view cannot be read
 */
async function writeSlice(db: Database, source: LakeSource, { name, where }: Slice, lake: string): Promise<LakeFile> {
  const { table, columns, footer } = source;
  const to = path.join(lake, name);
  const metadata = Object.entries(footer).map(([key, value]) => `${key}: ${quote(value)}`);
  const copy = `COPY (SELECT ${parquetSelection(columns)} FROM ${table} ${where}) TO ${quote(to)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {${metadata.join(', ')}})`;
  const rows = await db.count(copy).catch((error: unknown) => {
    throw describeView(source, error);
  });
  await syncFile(to);
  return { file: name, rows, bytes: statSync(to).size };
}

/** Explains why readers cannot read a view: something that it needs is not published. Returns other errors unchanged. */
function describeView({ table, viewFile }: LakeSource, error: unknown): unknown {
  const fault = errorMessage(error).split('\n')[0] ?? '';
  if (viewFile === undefined || !/^(?:Catalog|Binder) Error/.test(fault)) return error;
  return new ModelFailedError(
    `${table} (${viewFile}) cannot be published as a view: ${fault}`,
    `A view may read only ${MODEL_SCHEMAS.join(', ')}, and no macro. Write \`kind: table\` in its header.`,
  );
}
