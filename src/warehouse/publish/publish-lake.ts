import { mkdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { tableBegun } from '../../base/observed.js';
import { makeFolderSync } from '../../store/files.js';
import type { Database } from '../duckdb/database.js';
import { syncFile } from '../../store/links.js';
import { readIndex, writeLakeIndex, type LakeFiles } from '../builds/lake-index.js';
import type { Model } from '../models/models.js';
import { parquetSelection, type TypedColumn } from '../duckdb/parquet-types.js';
import { identifier, quote } from '../duckdb/sql-files.js';
import { contentHash, type TableContents } from './contents.js';
import { linkFile } from './link-file.js';

/** A whole table, or one day of a table whose key contains a date. */
interface Slice {
  model: Model;
  /** The day, `YYYY-MM-DD`; null when the table is one file. */
  date: string | null;
  rows: number;
  content: string;
}

/** Options of `publishLake`. */
interface LakeOptions {
  run: string;
  /** Folder of the previous lake; null if there is none. */
  previous: string | null;
  /** Contents of the tables, if they are known. */
  contents?: TableContents;
  /** Names of tables that have the same rows as in the previous lake. Their files are linked without a comparison. */
  unchanged?: ReadonlySet<string>;
  /** False: the rows of the build are not sorted by key, so sort them. */
  sorted?: boolean;
}

/**
 * Writes the tables of the attached database `build` as Parquet files (zstd). The rows are sorted by key. A table is one
 * file `<lake>/<schema>/<table>/data.parquet`. If its key contains the date of a night, it is one file `<date>.parquet`
 * for each night. If the previous lake has a file with the same content, links that file instead of writing a new one.
 * The footer of each file holds the run, the fingerprint and the comments.
 * @returns Number of files written, and number of files linked
 */
export async function publishLake(
  db: Database,
  models: Model[],
  lake: string,
  { run, previous, contents, unchanged, sorted = true }: LakeOptions,
): Promise<{ written: number; kept: number }> {
  const before = previous === null ? {} : readIndex(previous);
  const files: LakeFiles = {};
  let kept = 0;
  // Keep the order of the rows. Sorting sorted rows again would take longer than writing.
  await db.run('SET preserve_insertion_order = true');
  try {
    for (const [i, model] of models.entries()) {
      tableBegun.report({ name: `${model.model} (Parquet)`, done: models.length + i, total: 2 * models.length });
      makeFolderSync(path.join(lake, ...model.model.split('.')));
      const same = unchanged?.has(model.model) === true && previous !== null;
      const linked = same ? linkTable(model, before, previous, lake) : null;
      if (linked !== null) {
        Object.assign(files, linked);
        kept += Object.keys(linked).length;
        continue;
      }
      for (const slice of await slicesOf(db, model, contents)) {
        const name = nameOf(slice);
        const file = path.join(lake, name);
        const known = before[name];
        if (
          previous !== null &&
          known?.content === slice.content &&
          linkFile(path.join(previous, name), known.bytes, file)
        ) {
          files[name] = known;
          kept++;
        } else {
          await writeSlice(db, slice, file, { run, sorted });
          files[name] = { rows: slice.rows, bytes: statSync(file).size, content: slice.content };
        }
      }
    }
  } finally {
    await db.run('SET preserve_insertion_order = false');
  }
  await writeLakeIndex(lake, files);
  return { written: Object.keys(files).length - kept, kept };
}

/**
 * Links all files of a lake without a comparison. Returns false when a file is missing or damaged; the caller then
 * removes the new lake.
 */
export async function linkLake(models: readonly Model[], lake: string, previous: string): Promise<boolean> {
  const before = readIndex(previous);
  for (const model of models) {
    makeFolderSync(path.join(lake, ...model.model.split('.')));
    if (linkTable(model, before, previous, lake) === null) return false;
  }
  await writeLakeIndex(lake, before);
  return true;
}

/**
 * Links the files of a table. Returns their entries in the index; null when a file is missing or damaged. Then leaves no
 * link: DuckDB could write into a file that the previous lake shares.
 */
function linkTable(model: Model, before: LakeFiles, previous: string, lake: string): LakeFiles | null {
  const folder = `${model.model.replace('.', '/')}/`;
  const files = Object.entries(before).filter(([name]) => name.startsWith(folder));
  if (files.length === 0) return null;
  for (const [name, { bytes }] of files) {
    if (linkFile(path.join(previous, name), bytes, path.join(lake, name))) continue;
    rmSync(path.join(lake, folder), { recursive: true });
    mkdirSync(path.join(lake, folder));
    return null;
  }
  return Object.fromEntries(files);
}

async function slicesOf(db: Database, model: Model, contents?: TableContents): Promise<Slice[]> {
  const known = isByDate(model) ? undefined : contents?.get(model.model);
  if (known !== undefined)
    return [{ model, date: null, rows: known.rows, content: `${model.fingerprint} ${known.rows} ${known.hash}` }];
  const date = isByDate(model) ? 'CAST(date AS VARCHAR)' : 'NULL';
  const found = await db.rows<{ date: string | null; rows: string; content: string }>(
    `SELECT ${date} AS date, count(*) AS rows, ${contentHash(model)} AS content
     FROM build.${model.model} AS t GROUP BY 1 ORDER BY 1`,
  );
  // Write a file for an empty table, too, because readers need its columns.
  const slices = found.length > 0 ? found : [{ date: null, rows: '0', content: '' }];
  return slices.map((slice) => ({
    model,
    date: slice.date,
    rows: Number(slice.rows),
    content: `${model.fingerprint} ${slice.rows} ${slice.content}`,
  }));
}

function isByDate({ key, nullable, columns, dates }: Model): boolean {
  return dates === 'nights' && key.includes('date') && !nullable.includes('date') && columns['date']?.type === 'DATE';
}

/** Returns the path of a file in the lake. The path needs no escaping, because it consists of model names and dates. */
function nameOf({ model, date }: Slice): string {
  return [...model.model.split('.'), `${date ?? 'data'}.parquet`].join('/');
}

async function writeSlice(
  db: Database,
  { model, date, rows }: Slice,
  file: string,
  { run, sorted }: { run: string; sorted: boolean },
): Promise<void> {
  const footer = {
    run,
    model: model.model,
    version: String(model.version),
    fingerprint: model.fingerprint,
    rows: String(rows),
    description: model.description,
    columns: JSON.stringify(
      Object.fromEntries(Object.entries(model.columns).map(([name, { comment }]) => [name, comment])),
    ),
  };
  const metadata = Object.entries(footer).map(([key, value]) => `${key}: ${quote(value)}`);
  const order = sorted ? '' : `ORDER BY ${model.key.map(identifier).join(', ')}`;
  const where = date === null ? '' : ` WHERE date = DATE ${quote(date)}`;
  await db.run(
    `COPY (SELECT ${parquetSelection(typedColumns(model))} FROM build.${model.model}${where} ${order}) TO ${quote(file)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {${metadata.join(', ')}})`,
  );
  await syncFile(file);
}

/** Lists the columns of a model with their types. */
export function typedColumns({ columns }: Model): TypedColumn[] {
  return Object.entries(columns).map(([name, { type }]) => ({ name, type }));
}
