import type { Database } from './database.js';
import { identifier, quote } from './sql-files.js';

/**
 * Sets the comments of a table and of its columns. Runs all statements in one call, because a build has hundreds of
 * columns.
 */
export async function commentOn(
  db: Database,
  table: string,
  description: string,
  columns: readonly (readonly [name: string, comment: string])[],
): Promise<void> {
  const statements = [
    `COMMENT ON TABLE ${table} IS ${quote(description)}`,
    ...columns.map(([name, comment]) => `COMMENT ON COLUMN ${table}.${identifier(name)} IS ${quote(comment)}`),
  ];
  await db.run(statements.join(';\n'));
}
