import type { Database } from './database.js';
import { identifier, quote } from './sql-files.js';

/**
 * Returns statements that restore the current database and search path. Without this path, queries do not find the
 * macros of the warehouse.
 */
export async function pathBack(db: Database): Promise<string> {
  const [now] = await db.rows<{ name: string; path: string }>(
    `SELECT current_database() AS name, current_setting('search_path') AS path`,
  );
  // The path names schemas without their database, so it applies to the current database.
  return `USE ${identifier(now?.name ?? '')}; SET search_path = ${quote(now?.path ?? '')}`;
}
