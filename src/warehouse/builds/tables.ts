import path from 'node:path';
import { makeFolderSync } from '../../store/files.js';
import { fileOf, lakeOf } from '../../store/data-folder.js';
import type { Database } from '../duckdb/database.js';
import { openReadOnly } from '../duckdb/open.js';
import { forParquet, type TypedColumn } from '../duckdb/parquet-types.js';
import { identifier, quote } from '../duckdb/sql-files.js';
import { readLakeIndex } from './lake-index.js';
import type { StoredTable } from './manifest.js';

/** A Parquet file of a table, on this machine. */
export interface LocalFile {
  file: string;
  /** File name in the folder of the table. */
  name: string;
  rows: number;
  /** Whether no other rows ever have a file with this name and size. */
  isNamedByContent: boolean;
}

/** A table of a build, with files that have exactly its rows. */
export interface LocalTable extends Omit<StoredTable, 'files'> {
  name: string;
  files: LocalFile[];
}

/**
 * Lists the tables and views of a build one after the other, with the files of its lake. A build that was taken from a
 * bucket has no lake: then writes each table from the DuckDB file into `folder`; the file of the next table replaces it.
 * @param build folder of the build
 */
export async function* listTables(build: string, folder: string): AsyncGenerator<LocalTable> {
  const lake = lakeOf(build);
  const index = readLakeIndex(lake);
  if (index === undefined) return yield* writeTables(build, folder);
  for (const [name, { columns, files }] of Object.entries(index.tables)) {
    const rows = files.reduce((sum, file) => sum + file.rows, 0);
    const local = files.map(({ file, rows: count, state }) => ({
      file: path.join(lake, file),
      name: path.basename(file),
      rows: count,
      isNamedByContent: state !== null,
    }));
    yield { name, rows, columns, files: local };
  }
}

async function* writeTables(build: string, folder: string): AsyncGenerator<LocalTable> {
  const { db, close } = await openReadOnly(fileOf(build));
  try {
    for (const [name, columns] of await readColumns(db)) {
      const file = await writeTable(db, name, folder);
      yield { name, rows: file.rows, columns, files: [file] };
    }
  } finally {
    close();
  }
}

/** Reads the columns of all tables and views, by name of the table. */
export async function readColumns(db: Database): Promise<Map<string, StoredTable['columns']>> {
  const rows = await db.rows<{ table: string; name: string; type: string }>(
    `SELECT schema_name || '.' || table_name AS table, column_name AS name, data_type AS type FROM duckdb_columns()
     WHERE NOT internal AND database_name = current_database() ORDER BY 1, column_index`,
  );
  const tables = new Map<string, StoredTable['columns']>();
  for (const { table, ...column } of rows) tables.set(table, [...(tables.get(table) ?? []), column]);
  return tables;
}

async function writeTable(db: Database, table: string, folder: string): Promise<LocalFile> {
  makeFolderSync(folder);
  const file = path.join(folder, 'data.parquet');
  const query = await forParquet(`SELECT * FROM ${named(table)}`, (sql) => db.rows<TypedColumn>(sql));
  const rows = await db.count(`COPY (${query}) TO ${quote(file)} (FORMAT parquet, COMPRESSION zstd)`);
  return { file, name: 'data.parquet', rows, isNamedByContent: false };
}

function named(table: string): string {
  return table.split('.').map(identifier).join('.');
}
