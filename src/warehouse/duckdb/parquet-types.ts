import { identifier } from './sql-files.js';

/** Name and DuckDB type of a column. */
export interface TypedColumn {
  name: string;
  type: string;
}

/**
 * Returns the type in which a Parquet file keeps all values of a DuckDB type. DuckDB itself writes HUGEINT as DOUBLE,
 * INTERVAL without microseconds, and a time without its zone. Types inside lists and records count, too.
 */
export function parquetType(type: string): string {
  return type
    .replaceAll(/\bU?HUGEINT\b/g, 'DECIMAL(38,0)')
    .replaceAll(/\b(?:INTERVAL|TIMETZ|TIME WITH TIME ZONE)\b/g, 'VARCHAR');
}

/** Returns `*`, with casts of the columns whose values a Parquet file would change. */
export function parquetSelection(columns: readonly TypedColumn[]): string {
  const casts = columns
    .filter(({ type }) => parquetType(type) !== type)
    .map(({ name, type }) => `CAST(${identifier(name)} AS ${parquetType(type)}) AS ${identifier(name)}`);
  return casts.length === 0 ? '*' : `* REPLACE (${casts.join(', ')})`;
}

/**
 * Returns a query for the rows of `query` in types that a Parquet file keeps. The query fails for an integer of more than
 * 38 digits. Returns `query` itself if `describe` fails, because `query` will fail with a better error.
 * @param describe Runs DESCRIBE and returns its rows
 */
export async function forParquet(
  query: string,
  describe: (sql: string) => Promise<readonly TypedColumn[]>,
): Promise<string> {
  const rows = `(${query.trim().replace(/[;\s]+$/, '')}\n)`;
  const columns = await describe(
    `SELECT column_name AS name, column_type AS type FROM (DESCRIBE SELECT * FROM ${rows})`,
  ).catch(() => []);
  const selection = parquetSelection(columns);
  return selection === '*' ? rows.slice(1, -2) : `SELECT ${selection} FROM ${rows}`;
}
