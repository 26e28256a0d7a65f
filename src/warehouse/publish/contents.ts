import type { Database } from '../duckdb/database.js';
import { identifier } from '../duckdb/sql-files.js';
import type { Model } from '../models/models.js';

/** Number of rows of a table, and a hash of all rows that does not depend on their order. */
export interface Contents {
  rows: number;
  hash: string;
}

/** Row count and hash of each table, by its name. */
export type TableContents = Map<string, Contents>;

/** Contents of a table without rows. */
export const EMPTY: Contents = { rows: 0, hash: '' };

/** Counts and hashes the rows of a table or view that has the columns of the model. */
export async function readContents(db: Database, model: Model, relation: string): Promise<Contents> {
  const [row] = await db.rows<{ rows: string; hash: string }>(
    `SELECT count(*) AS rows, ${contentHash(model)} AS hash FROM ${relation} AS t`,
  );
  return { rows: Number(row?.rows ?? 0), hash: row?.hash ?? '' };
}

/** Returns an SQL aggregate: a hash of all rows of `t`, as text. Empty text if there is no row. */
export function contentHash(model: Model): string {
  return asText(`bit_xor(${rowHash(model)})`);
}

/**
 * Computes the contents of a table from the rows that were removed and added, without reading the other rows. The hash
 * of all rows is the XOR of the row hashes, so XOR with the hash of a row removes or adds this row.
 */
export function changedContents(before: Contents, removed: Contents, added: Contents): Contents {
  const rows = before.rows - removed.rows + added.rows;
  const hash = [before, removed, added].reduce((all, part) => all ^ BigInt(part.hash || 0), 0n);
  return { rows, hash: rows === 0 ? '' : String(hash) };
}

/** Reads the contents of rows from their hashes in one column of a table; rows with NULL do not count. */
export async function readHashes(db: Database, table: string, column: string): Promise<Contents> {
  const [row] = await db.rows<{ rows: string; hash: string }>(
    `SELECT count(${column}) AS rows, ${asText(`bit_xor(${column})`)} AS hash FROM ${table}`,
  );
  return { rows: Number(row?.rows ?? 0), hash: row?.hash ?? '' };
}

/** Whether two tables have the same number of rows and the same hash. */
export function isSame(left: Contents, right: Contents | undefined): boolean {
  return left.rows === right?.rows && left.hash === right.hash;
}

function asText(hash: string): string {
  return `coalesce(CAST(${hash} AS VARCHAR), '')`;
}

/**
 * Returns an SQL expression: the hash of a row of `t`. DuckDB's hash() gives [] and NULL the same hash, and also
 * [[1], [2]] and [[1, 2]]. So nested values are hashed as text.
 *
 * Hashes twice, because hash() of several columns is the hash of the last column XOR a hash of the others. With one
 * hash(), `contentHash` would not change if two rows got the same new value in the last column.
 */
export function rowHash({ columns }: Model): string {
  const values = Object.entries(columns).map(([name, { type }]) => {
    const column = `t.${identifier(name)}`;
    return /\]$|^(?:STRUCT|MAP|UNION|JSON)\b/i.test(type) ? `CAST(${column} AS VARCHAR)` : column;
  });
  return `hash(hash(${values.join(', ')}))`;
}
