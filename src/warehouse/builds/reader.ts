import type { DuckDBValue } from '@duckdb/node-api';
import type { PlainValue } from '../duckdb/plain-value.js';

/** A row as JSON can hold it, by column name. */
export type Row = Record<string, PlainValue>;

/** Runs queries on one connection. */
export interface Reader {
  rows<T extends object = Row>(sql: string, params?: Record<string, DuckDBValue>): Promise<T[]>;
}

/** Runs `work` with a connection. If `signal` aborts, DuckDB interrupts the query in progress. */
export type Read = <T>(work: (reader: Reader) => Promise<T>, signal?: AbortSignal) => Promise<T>;
