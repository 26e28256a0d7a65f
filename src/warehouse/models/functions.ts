import { parse } from 'yaml';
import { z } from 'zod';
import { errorMessage } from '../../base/errors.js';
import type { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { quote, readSqlFolder, type SqlFile } from '../duckdb/sql-files.js';

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
 * Parameter that all functions have. A macro of DuckDB finds its tables in the reader's default database, not in its own
 * one. So a reader who attaches the file must name the database.
 */
const DATABASE = {
  name: 'db',
  description:
    "name of the attached database, such as db := 'wh'; not needed after USE wh, or if the file itself was opened",
};

/**
 * Creates the functions in the open database, which is a build: it must have `meta.receipt`. If a function would read the
 * tables of another build, it fails.
 *
 * Skips a function if the tables lack its columns: a new version of a model may have renamed them, or a rollback may
 * have restored an earlier set of models.
 * @returns One sentence for each skipped function
 */
export async function createFunctions(db: Database): Promise<string[]> {
  const leftOut: string[] = [];
  const functions = readFunctions();
  const [receipt] = await db.rows<{ id: string }>('SELECT id FROM meta.receipt');
  for (const { function: name, returns, parameters, description, sql } of functions) {
    const isTable = returns === 'TABLE';
    const signature = `${name}(${Object.keys(parameters).join(', ')}, ${DATABASE.name} := NULL)`;
    const body = readTables(inlineCalls(sql, functions), receipt?.id ?? '');
    try {
      await db.run(`CREATE OR REPLACE MACRO ${signature} AS ${isTable ? `TABLE ${body}` : `(${body})`}`);
      await db.rows(`DESCRIBE ${isTable ? 'FROM' : 'SELECT'} ${name}(now())`);
    } catch (error) {
      await db.run(`DROP MACRO ${isTable ? 'TABLE ' : ''}IF EXISTS ${name}`);
      leftOut.push(
        `The function ${name} is not published, because tables that it reads are missing or different (${errorMessage(error).split('\n')[0]}).`,
      );
      continue;
    }
    const said = quote(describe(description, parameters));
    await db.run(`COMMENT ON MACRO ${isTable ? 'TABLE ' : ''}${name} IS ${said}`);
  }
  return leftOut;
}

/** Replaces calls of other functions by their expressions, because a macro finds functions as it finds tables. */
function inlineCalls(sql: string, functions: readonly SqlFunction[]): string {
  return functions
    .filter(({ returns }) => returns !== 'TABLE')
    .reduce((text, called) => text.replaceAll(`${called.function}(moment)`, `(${called.sql})`), sql);
}

/** Replaces names of tables by a call that finds them in the database of the parameter, and fills in the build. */
function readTables(sql: string, build: string): string {
  const inDatabase = (table: string): string =>
    `query_table(coalesce('"' || replace(${DATABASE.name}, '"', '""') || '".', '') || ${quote(table)})`;
  return sql
    .replaceAll(/\b(?:core|meta)\.[a-z_]+\b(?=[ \n)]|$)/g, (table) => inDatabase(table))
    .replaceAll('$build', () => quote(build));
}

function describe(description: string, parameters: Record<string, string>): string {
  const told = Object.entries({ ...parameters, [DATABASE.name]: DATABASE.description }).map(
    ([name, what]) => `${name}: ${what}`,
  );
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
