import { statSync } from 'node:fs';
import path from 'node:path';
import { syncFile } from '../../store/links.js';
import { makeFolderSync } from '../../store/files.js';
import type { Database } from '../duckdb/database.js';
import { writeDeltaIndex, type DeltaIndex, type DeltaTable } from '../builds/lake-index.js';
import { parquetSelection } from '../duckdb/parquet-types.js';
import { quote } from '../duckdb/sql-files.js';
import { linkFile } from './link-file.js';
import { typedColumns } from './publish-lake.js';
import type { TableChanges } from './write-changes.js';

/*
 * A large lake is not written each night, because a night changes some rows in every file. Instead, `lake/` stays as it
 * was, and `lake-delta/` holds the rows that differ from it: for each table with differences a folder with one file per
 * publication, `<schema>/<table>/<version>.parquet`, and the index `_current.json`.
 *
 * A file has the columns of its table, `_version` and `_removed`. It has one row for each key whose row was added,
 * replaced or removed since the version before it. Removed rows have values only in the key columns. For each key, the
 * row with the highest `_version` counts.
 */

/** Writes the index of a lake that is current: no table differs. */
export async function writeEmptyDelta(folder: string, { run, now }: { run: string; now: Date }): Promise<void> {
  makeFolderSync(folder);
  await writeDeltaIndex(folder, { lake: { builtAt: now.toISOString(), run }, version: 0, tables: {} });
}

/**
 * Writes the rows that differ from the earlier build as the next version, and links the files of the earlier versions.
 * Returns false when a file of an earlier version is missing or damaged; the caller then removes the new delta.
 */
export async function writeDelta(
  db: Database,
  changes: readonly TableChanges[],
  folder: string,
  earlier: { folder: string; index: DeltaIndex },
): Promise<boolean> {
  const { lake, version: before, tables: known } = earlier.index;
  const version = before + 1;
  const tables: Record<string, DeltaTable> = {};
  makeFolderSync(folder);
  for (const [table, { key, files }] of Object.entries(known)) {
    makeFolderSync(path.join(folder, ...table.split('.')));
    for (const { file, bytes } of files)
      if (!linkFile(path.join(earlier.folder, file), bytes, path.join(folder, file))) return false;
    tables[table] = { key, files: [...files] };
  }
  for (const { model, difference, rows } of changes) {
    const name = [...model.model.split('.'), `${String(version).padStart(4, '0')}.parquet`].join('/');
    const file = path.join(folder, name);
    makeFolderSync(path.dirname(file));
    await db.run(
      `COPY (SELECT ${parquetSelection(typedColumns(model))}, ${version} AS _version FROM ${difference}) TO ${quote(file)} (FORMAT parquet, COMPRESSION zstd)`,
    );
    await syncFile(file);
    const table = (tables[model.model] ??= { key: model.key, files: [] });
    table.files.push({ file: name, version, rows, bytes: statSync(file).size });
  }
  await writeDeltaIndex(folder, { lake, version, tables });
  return true;
}
