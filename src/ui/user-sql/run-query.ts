import type { DuckDBConnection } from '@duckdb/node-api';
import type { QueryAnswer } from '../../../schemas/explorer/api.js';
import { errorMessage, invalidInput, TidemarkError } from '../../core/errors.js';
import { toPlain, type PlainValue } from '../../duckdb/plain-value.js';
import type { OpenBuild } from '../data/open-build.js';
import { prepareQuery } from './statements.js';

/** Limits of one query. */
export interface QueryLimits {
  rows: number;
  seconds: number;
}

/** Answers larger than this are cut: a browser could not show them. In characters of JSON, about. */
const MAX_ANSWER = 32_000_000;
const MAX_CELL = 20_000;

/**
 * Runs a query of a user and returns its first rows.
 * @throws TidemarkError `InvalidInput` when the query is wrong, was cancelled, or exceeds the time limit
 */
export async function runQuery(
  build: OpenBuild,
  sql: string,
  limits: QueryLimits,
  signal: AbortSignal,
): Promise<QueryAnswer> {
  const startedAt = performance.now();
  return withLimits(build, limits.seconds, signal, async (connection) => {
    const prepared = await prepareQuery(connection, sql);
    const result = await prepared.stream();
    const columns = result.deduplicatedColumnNames().map((name, i) => ({ name, type: String(result.columnType(i)) }));
    const rows: PlainValue[][] = [];
    let size = 0;
    let more = false;
    read: for (;;) {
      const chunk = await result.fetchChunk();
      if (chunk === null || chunk.rowCount === 0) break;
      for (const values of chunk.getRows()) {
        if (rows.length === limits.rows || size > MAX_ANSWER) {
          more = true;
          break read;
        }
        const row = values.map((value) => shorten(toPlain(value)));
        size += row.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 12), 0);
        rows.push(row);
      }
    }
    return { columns, rows, more, milliseconds: Math.round(performance.now() - startedAt), build: build.name };
  });
}

/**
 * Runs `work` with a locked connection. Interrupts it when the time is over or `signal` aborts.
 * @throws TidemarkError `InvalidInput` with what the user can do
 */
export async function withLimits<T>(
  build: OpenBuild,
  seconds: number,
  signal: AbortSignal,
  work: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const connection = await build.connectLocked();
  const stop = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  const interrupt = (): void => connection.interrupt();
  stop.addEventListener('abort', interrupt);
  // An interrupt before the query begins has no effect, so repeat it.
  const again = setInterval(() => stop.aborted && interrupt(), 50);
  try {
    return await work(connection);
  } catch (error) {
    if (signal.aborted) throw invalidInput('The query was cancelled.', 'Run it again when you need it.', error);
    if (stop.aborted) {
      throw invalidInput(
        `The query ran longer than ${seconds} s and was stopped.`,
        'Select fewer rows, or raise the time limit next to the editor.',
        error,
      );
    }
    throw explain(error);
  } finally {
    clearInterval(again);
    stop.removeEventListener('abort', interrupt);
    connection.closeSync();
  }
}

function explain(error: unknown): TidemarkError {
  if (error instanceof TidemarkError) return error;
  const message = errorMessage(error);
  if (/Permission Error|disabled by configuration|configuration has been locked/i.test(message)) {
    return invalidInput(message, 'Queries of the explorer read the published tables only, and cannot change settings.');
  }
  return invalidInput(message, 'Correct the query. The list next to the editor has all tables and columns.', error);
}

function shorten(value: PlainValue): PlainValue {
  if (typeof value === 'string') return value.length > MAX_CELL ? `${value.slice(0, MAX_CELL)}…` : value;
  if (value === null || typeof value !== 'object') return value;
  const text = JSON.stringify(value);
  return text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : value;
}
