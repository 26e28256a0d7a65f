import { Database } from '../src/duckdb/database.js';

/** CPU time and number of the statements of one step. */
export interface StepCost {
  ms: number;
  statements: number;
}

/**
 * Measures the CPU time of each statement on all connections of this process, while `work` runs.
 * @param stepOf returns the name of a statement's step. `file` is the database file of the connection
 * @returns the costs by step; `other` is the time outside of statements
 */
export async function statementCosts(
  stepOf: (sql: string, file: string) => string,
  work: () => Promise<unknown>,
): Promise<Map<string, StepCost>> {
  const costs = new Map<string, StepCost>();
  const add = (step: string, ms: number, statements: number): void => {
    const cost = costs.get(step) ?? { ms: 0, statements: 0 };
    costs.set(step, { ms: cost.ms + ms, statements: cost.statements + statements });
  };
  const restore = (['run', 'rows'] as const).map((method) => {
    const original = Database.prototype[method] as (this: Database, sql: string, ...rest: never[]) => Promise<never>;
    const value = async function (this: Database, sql: string, ...rest: never[]): Promise<unknown> {
      const before = cpuMs();
      const result: unknown = await original.call(this, sql, ...rest);
      add(stepOf(sql, this.file), cpuMs() - before, 1);
      return result;
    };
    Object.defineProperty(Database.prototype, method, { value, configurable: true, writable: true });
    return () => Object.defineProperty(Database.prototype, method, { value: original });
  });
  const before = cpuMs();
  try {
    await work();
  } finally {
    for (const undo of restore) undo();
  }
  const inStatements = [...costs.values()].reduce((sum, { ms }) => sum + ms, 0);
  add('other', cpuMs() - before - inStatements, 0);
  return costs;
}

/** CPU milliseconds that all threads of this process used so far. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
