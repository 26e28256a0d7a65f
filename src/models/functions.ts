import { parse } from 'yaml';
import { z } from 'zod';
import { errorMessage } from '../core/errors.js';
import type { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { identifier, quote, readSqlFolder, type SqlFile } from '../duckdb/sql-files.js';

const Header = z.strictObject({
  function: z.string().regex(/^core\.[a-z_]+$/),
  /** `TABLE` if the function is a query to call in FROM. Otherwise the SQL type of the expression. */
  returns: z.string().min(1),
  parameters: z.record(z.string().regex(/^[a-z_]+$/), z.string().min(1)),
  description: z.string().min(1),
});

/**
 * A function that analysts can call in the published file. Its file in `sql/functions` has a header and one query or
 * expression.
 */
export interface SqlFunction extends z.infer<typeof Header> {
  file: string;
  sql: string;
}

/** Reads all functions. A function comes after the functions that it calls. */
export function readFunctions(): SqlFunction[] {
  const functions = readSqlFolder('functions/core').map(parseFunction);
  return functions.toSorted((a, b) => Number(calls(a, b)) - Number(calls(b, a)));
}

/**
 * Creates the functions in an attached database. The database must have the tables that the functions read. The
 * functions name tables by schema only, so they read the tables of the file that a reader has opened.
 *
 * Skips a function if the tables lack its columns: a new version of a model may have renamed them, or a rollback may
 * have restored an earlier set of models.
 * @returns One sentence for each skipped function
 */
export async function createFunctions(db: Database, database: string): Promise<string[]> {
  const leftOut: string[] = [];
  const [own] = await db.rows<{ name: string }>('SELECT current_database() AS name');
  await db.run(`USE ${identifier(database)}`);
  try {
    for (const { function: name, returns, parameters, description, sql } of readFunctions()) {
      const isTable = returns === 'TABLE';
      const signature = `${name}(${Object.keys(parameters).join(', ')})`;
      try {
        await db.run(`CREATE OR REPLACE MACRO ${signature} AS ${isTable ? `TABLE ${sql}` : `(${sql})`}`);
      } catch (error) {
        leftOut.push(
          `The function ${name} is not published, because tables that it reads are missing or different (${errorMessage(error).split('\n')[0]}).`,
        );
        continue;
      }
      const said = quote(describe(description, parameters));
      await db.run(`COMMENT ON MACRO ${isTable ? 'TABLE ' : ''}${name} IS ${said}`);
    }
  } finally {
    await db.run(`USE ${identifier(own?.name ?? '')}`);
  }
  return leftOut;
}

function describe(description: string, parameters: Record<string, string>): string {
  const told = Object.entries(parameters).map(([name, what]) => `${name}: ${what}`);
  return `${description} Parameters: ${told.join('; ')}.`;
}

function calls(a: SqlFunction, b: SqlFunction): boolean {
  return a.sql.includes(`${b.function}(`);
}

function parseFunction(file: SqlFile): SqlFunction {
  const match = /^\/\*\n(.*?)\n\*\/\n(.*)$/s.exec(file.text);
  try {
    const header = Header.parse(parse(match?.[1] ?? ''));
    if (file.name !== `functions/${header.function.replace('.', '/')}.sql`)
      throw new Error(`the header names the function ${header.function}, so the file must have this name`);
    return { ...header, file: file.name, sql: (match?.[2] ?? '').trim() };
  } catch (error) {
    throw new ModelFailedError(
      `sql/${file.name}: ${error instanceof z.ZodError ? z.prettifyError(error) : errorMessage(error)}`,
      'Compare with sql/functions/core/companies_as_of.sql.',
    );
  }
}
