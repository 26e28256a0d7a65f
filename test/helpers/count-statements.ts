import type { Database } from '../../src/warehouse/duckdb/database.js';

/** Returns the number of SQL statements that `work` runs with `run`, `rows` and `count`. */
export async function countStatements(db: Database, work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const names = ['run', 'rows'] as const;
  for (const name of names) {
    const original = db[name].bind(db) as (...args: never[]) => Promise<never>;
    const value = (...args: never[]): Promise<never> => (count++, original(...args));
    Object.defineProperty(db, name, { value, configurable: true });
  }
  try {
    await work();
  } finally {
    // The methods of the class count again.
    for (const name of names) Reflect.deleteProperty(db, name);
  }
  return count;
}
