import type { Database } from '../../src/duckdb/database.js';

/** Returns the number of SQL statements that `work` runs with `run`, `rows` and `count`. */
export async function countStatements(db: Database, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  for (const name of ['run', 'rows'] as const) {
    const original = db[name].bind(db) as (...args: never[]) => Promise<never>;
    Object.defineProperty(db, name, { value: (...args: never[]) => (count++, original(...args)) });
  }
  await work();
  return count;
}
