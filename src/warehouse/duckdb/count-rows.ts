import type { Database } from './database.js';
import { quote } from './sql-files.js';

/** Counts the rows of many tables. One statement needs less time than one for each table. */
export async function countRows(db: Database, tables: readonly string[]): Promise<Map<string, number>> {
  if (tables.length === 0) return new Map();
  const counts = tables.map((table) => `SELECT ${quote(table)} AS name, count(*) AS rows FROM ${table}`);
  const found = await db.rows<{ name: string; rows: string }>(counts.join(' UNION ALL '));
  return new Map(found.map(({ name, rows }) => [name, Number(rows)]));
}
