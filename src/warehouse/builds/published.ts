import { realpathSync } from 'node:fs';
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from '@duckdb/node-api';
import { asDiskError } from '../../store/disk-errors.js';
import { errorMessage, hasErrorCode, TidemarkError } from '../../base/errors.js';
import { NotPublishedError } from '../duckdb/errors.js';
import { publishedFile } from '../../store/data-folder.js';
import { openInstance } from '../duckdb/instance.js';
import type { PlainValue } from '../duckdb/plain-value.js';
import { streamRows, type RowStream } from '../duckdb/stream-rows.js';

/** The rows of a query. The values of a row have the order of `columns`. */
export interface QueryRows {
  columns: string[];
  rows: PlainValue[][];
  /** Whether the query has more rows than the limit. */
  more: boolean;
}

/** The published warehouse, opened for reading. It is the build that was current at that time. */
export interface Published {
  /** The link that analysts open; it leads to the current build. */
  file: string;
  query(sql: string, options?: { params?: Record<string, DuckDBValue>; limit?: number }): Promise<QueryRows>;
  /** Returns the rows of a query as objects. Use it for small results. */
  objects<Row extends object>(sql: string, params?: Record<string, DuckDBValue>): Promise<Row[]>;
  /** Returns the rows of a query in batches, or in chunks of DuckDB's values. Use it for results of any size. */
  stream(sql: string): Promise<RowStream & { batches: AsyncIterable<PlainValue[][]> }>;
  run(sql: string): Promise<void>;
  close(): void;
}

/**
 * Opens the published warehouse read-only. A later publication does not change the open file, because each publication
 * makes a new file.
 * @param other file to open in its place, such as a dev environment
 * @throws NotPublishedError when nothing is published, or the file cannot be opened
 */
export async function openPublished(dataDir: string, other?: string): Promise<Published> {
  const link = other ?? publishedFile(dataDir);
  const file = resolveBuild(link);
  const { instance, connection } = await open(file);
  const start = async (sql: string, params: Record<string, DuckDBValue> = {}): Promise<RowStream> => {
    try {
      const rows = await streamRows(connection, sql, params);
      return { ...rows, chunks: explained(rows.chunks, file) };
    } catch (error) {
      throw queryError(error, file);
    }
  };
  const query: Published['query'] = async (sql, { params, limit = Number.MAX_SAFE_INTEGER } = {}) => {
    const { columns, chunks } = await start(sql, params);
    const rows: PlainValue[][] = [];
    for await (const batch of plainBatches(chunks)) {
      rows.push(...batch);
      if (rows.length > limit) break;
    }
    return { columns, rows: rows.slice(0, limit), more: rows.length > limit };
  };
  return {
    file: link,
    query,
    async objects<Row extends object>(sql: string, params: Record<string, DuckDBValue> = {}) {
      const { columns, rows } = await query(sql, { params });
      return rows.map((row) => Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])) as Row);
    },
    async stream(sql) {
      const rows = await start(sql);
      return { ...rows, batches: plainBatches(rows.chunks) };
    },
    async run(sql) {
      await connection.run(sql).catch((error: unknown) => {
        throw queryError(error, file);
      });
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** Opens the published warehouse, runs one query, closes it and returns the rows. */
export async function queryPublished(dataDir: string, sql: string): Promise<PlainValue[][]> {
  const published = await openPublished(dataDir);
  try {
    return (await published.query(sql)).rows;
  } finally {
    published.close();
  }
}

/**
 * Returns the path of the current build's file, without symlinks.
 * @throws NotPublishedError when nothing is published
 */
export function resolveBuild(link: string): string {
  try {
    return realpathSync(link);
  } catch (error) {
    throw new NotPublishedError(link, hasErrorCode(error, 'ENOENT') ? undefined : error);
  }
}

async function open(file: string): Promise<{ instance: DuckDBInstance; connection: DuckDBConnection }> {
  try {
    const instance = await openInstance(file, { access_mode: 'READ_ONLY' });
    const connection = await instance.connect();
    await connection.run(`SET TimeZone = 'UTC'`);
    return { instance, connection };
  } catch (error) {
    throw new NotPublishedError(file, error);
  }
}

async function* plainBatches(chunks: RowStream['chunks']): AsyncGenerator<PlainValue[][]> {
  const { toPlain } = await import('../duckdb/plain-value.js');
  for await (const rows of chunks) yield rows.map((row) => row.map(toPlain));
}

async function* explained(chunks: RowStream['chunks'], file: string): AsyncGenerator<DuckDBValue[][]> {
  try {
    yield* chunks;
  } catch (error) {
    throw queryError(error, file);
  }
}

/** Keeps the message of a DuckDB error and adds what to do. */
function queryError(error: unknown, file: string): TidemarkError {
  const known = asDiskError(error, file);
  if (known instanceof TidemarkError) return known;
  const readOnly = /read-only/i.test(errorMessage(error));
  const todo = readOnly
    ? 'The published warehouse is read-only. Use a query that only reads.'
    : 'Correct the query; `tidemark sql "SHOW ALL TABLES"` lists the tables.';
  return new TidemarkError('ModelFailed', errorMessage(error), { todo, cause: error });
}
