import { Database } from '../src/warehouse/duckdb/database.js';
import { splitStatements } from '../src/warehouse/duckdb/split-statements.js';
import type { SqlFile } from '../src/warehouse/duckdb/sql-files.js';

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
    return replace(method, async function (this: Database, sql: string, ...rest: never[]): Promise<unknown> {
      const before = cpuMs();
      const result: unknown = await original.call(this, sql, ...rest);
      add(stepOf(sql, this.file), cpuMs() - before, 1);
      return result;
    });
  });
  // So that each statement of a file counts for its own step.
  restore.push(
    replace('runFile', async function (this: Database, file: SqlFile): Promise<void> {
      for (const statement of splitStatements(file.text)) await this.run(statement);
    }),
  );
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

/** Replaces a method of all connections. Returns a function that restores the method. */
function replace(method: 'run' | 'rows' | 'runFile', value: unknown): () => void {
  const original = Database.prototype[method];
  Object.defineProperty(Database.prototype, method, { value, configurable: true, writable: true });
  return () => Object.defineProperty(Database.prototype, method, { value: original });
}

/** CPU milliseconds that all threads of this process used so far. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
