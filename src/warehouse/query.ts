import { existsSync, realpathSync } from 'node:fs';
import { DuckDBInstance, type Json } from '@duckdb/node-api';
import { NotPublishedError } from './errors.js';
import { publishedFile } from './paths.js';

export interface QueryResult {
  columns: { name: string; type: string }[];
  /** Values that JSON can hold; BIGINT, DATE, TIMESTAMPTZ and DECIMAL as text, lists and structs as arrays and objects. */
  rows: Json[][];
}

/**
 * Runs a query on the published warehouse, read-only: nothing it says can change the file.
 * @throws NotPublishedError when there is none yet
 * @throws Error DuckDB's own, when the query is wrong
 */
export async function queryPublished(dataDir: string, sql: string): Promise<QueryResult> {
  const link = publishedFile(dataDir);
  if (!existsSync(link)) throw new NotPublishedError(link);
  let instance: DuckDBInstance;
  try {
    // The build itself, so that a publication in the middle of the query changes nothing for it.
    instance = await DuckDBInstance.create(realpathSync(link), {
      access_mode: 'READ_ONLY',
      autoinstall_known_extensions: 'false',
    });
  } catch (error) {
    throw new NotPublishedError(link, error);
  }
  try {
    const connection = await instance.connect();
    await connection.run(`SET TimeZone = 'UTC'`);
    const reader = await connection.runAndReadAll(sql);
    const types = reader.columnTypes();
    return {
      columns: reader.columnNames().map((name, i) => ({ name, type: String(types[i]) })),
      rows: reader.getRowsJson(),
    };
  } finally {
    instance.closeSync();
  }
}
