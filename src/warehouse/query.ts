import { existsSync, realpathSync } from 'node:fs';
import { DuckDBInstance, type DuckDBConnection, type Json } from '@duckdb/node-api';
import { NotPublishedError } from './errors.js';
import { publishedFile } from './paths.js';
import { quote } from './sql-files.js';

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
  return withPublished(dataDir, async (connection) => {
    const reader = await connection.runAndReadAll(sql);
    const names = reader.columnNames();
    const types = reader.columnTypes();
    return { columns: names.map((name, i) => ({ name, type: String(types[i]) })), rows: reader.getRowsJson() };
  });
}

/** Writes a query's result to a file: Parquet (zstd), CSV with a header, or JSON lines. */
export async function exportPublished(
  dataDir: string,
  sql: string,
  file: string,
  format: 'parquet' | 'csv' | 'json',
): Promise<void> {
  const options = { parquet: 'FORMAT parquet, COMPRESSION zstd', csv: 'FORMAT csv, HEADER', json: 'FORMAT json' }[
    format
  ];
  await withPublished(dataDir, async (connection) => {
    await connection.run(`COPY (${sql.replace(/;\s*$/, '')}\n) TO ${quote(file)} (${options})`);
  });
}

/** Latest reading of each usage metric in the published warehouse; empty when nothing is published. */
export async function lastReadings(
  dataDir: string,
): Promise<{ metric: string; used: number; total: number; readAt: string }[]> {
  if (!existsSync(publishedFile(dataDir))) return [];
  const { rows } = await queryPublished(
    dataDir,
    `SELECT metric, used, total, strftime(read_at AT TIME ZONE 'UTC', '%Y-%m-%dT%H:%M:%SZ')
     FROM ops.quota QUALIFY row_number() OVER (PARTITION BY metric ORDER BY read_at DESC) = 1 ORDER BY metric`,
  );
  return (rows as [string, string, string, string][]).map(([metric, used, total, readAt]) => ({
    metric,
    used: Number(used),
    total: Number(total),
    readAt,
  }));
}

async function withPublished<T>(dataDir: string, work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
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
    return await work(connection);
  } finally {
    instance.closeSync();
  }
}
