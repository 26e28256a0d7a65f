import type { Database } from './database.js';
import { identifier, quote } from './sql-files.js';

/**
 * Sets the comments of a table or view and of its columns. Runs all statements in one call, because a build has hundreds
 * of columns.
 */
export async function commentOn(
  db: Database,
  table: string,
  description: string,
  columns: readonly (readonly [name: string, comment: string])[],
  type: 'TABLE' | 'VIEW' = 'TABLE',
): Promise<void> {
  const statements = [
    `COMMENT ON ${type} ${table} IS ${quote(description)}`,
    ...columns.map(([name, comment]) => `COMMENT ON COLUMN ${table}.${identifier(name)} IS ${quote(comment)}`),
  ];
  await db.run(statements.join(';\n'));
}
