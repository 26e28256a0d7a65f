import path from 'node:path';
import { makeFolderSync } from '../../store/files.js';
import { deltaOf, fileOf, lakeOf } from '../../store/data-folder.js';
import type { Database } from '../duckdb/database.js';
import { openReadOnly } from '../duckdb/open.js';
import { forParquet, type TypedColumn } from '../duckdb/parquet-types.js';
import { identifier, quote } from '../duckdb/sql-files.js';
import { countRows } from '../duckdb/count-rows.js';
import { readDeltaIndex } from './lake-index.js';
import { readIndex } from './lake-index.js';
import type { StoredTable } from './manifest.js';

/** A Parquet file of a table, on this machine. */
export interface LocalFile {
  file: string;
  /** File name in the folder of the table. */
  name: string;
  rows: number;
}

/** A table of a build, with files that have exactly its rows. */
export interface LocalTable extends Omit<StoredTable, 'files'> {
  name: string;
  files: LocalFile[];
}

/**
 * Lists the tables of a build one after the other. A table that is current in `lake/` has the files of the lake. Any
 * other table is written from the DuckDB file into `folder`; the file of the next table replaces it.
 * @param build folder of the build
 */
export async function* listTables(build: string, folder: string): AsyncGenerator<LocalTable> {
  const { db, close } = await openReadOnly(fileOf(build));
  try {
    const columns = await readColumns(db);
    const counts = await countRows(db, [...columns.keys()].map(named));
    const changed = readDeltaIndex(deltaOf(build))?.tables ?? {};
    const lake = readIndex(lakeOf(build));
    for (const [name, tableColumns] of columns) {
      const rows = counts.get(named(name)) ?? 0;
      const inLake = name in changed ? [] : lakeFiles(lakeOf(build), lake, name);
      const isCurrent = inLake.length > 0 && inLake.reduce((sum, file) => sum + file.rows, 0) === rows;
      const files = isCurrent ? inLake : [await writeTable(db, name, rows, folder)];
      yield { name, rows, columns: tableColumns, files };
    }
  } finally {
    close();
  }
}

async function readColumns(db: Database): Promise<Map<string, StoredTable['columns']>> {
  const rows = await db.rows<{ table: string; name: string; type: string }>(
    `SELECT t.schema_name || '.' || t.table_name AS table, c.column_name AS name, c.data_type AS type
     FROM duckdb_tables() AS t JOIN duckdb_columns() AS c USING (database_name, schema_name, table_name)
     WHERE NOT t.internal ORDER BY 1, c.column_index`,
  );
  const tables = new Map<string, StoredTable['columns']>();
  for (const { table, ...column } of rows) tables.set(table, [...(tables.get(table) ?? []), column]);
  return tables;
}

function lakeFiles(lake: string, index: ReturnType<typeof readIndex>, table: string): LocalFile[] {
  const folder = `${table.replace('.', '/')}/`;
  return Object.entries(index)
    .filter(([name]) => name.startsWith(folder))
    .map(([name, { rows }]) => ({ file: path.join(lake, name), name: name.slice(folder.length), rows }));
}

async function writeTable(db: Database, table: string, rows: number, folder: string): Promise<LocalFile> {
  makeFolderSync(folder);
  const file = path.join(folder, 'data.parquet');
  const query = await forParquet(`SELECT * FROM ${named(table)}`, (sql) => db.rows<TypedColumn>(sql));
  await db.run(`COPY (${query}) TO ${quote(file)} (FORMAT parquet, COMPRESSION zstd)`);
  return { file, name: 'data.parquet', rows };
}

function named(table: string): string {
  return table.split('.').map(identifier).join('.');
}
