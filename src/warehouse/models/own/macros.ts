import { ModelFailedError } from '../../duckdb/errors.js';
import { splitStatements } from '../../duckdb/split-statements.js';
import { pathOf } from '../model-file.js';
import type { SqlFile } from '../../duckdb/sql-files.js';
import { WITHOUT_PARENTHESES } from '../../duckdb/sql-parser.js';
import type { MacroText } from './own-object.js';

const CREATE = /^CREATE\s+(?:OR\s+REPLACE\s+)?(?:TEMP\s+|TEMPORARY\s+)?(?:MACRO|FUNCTION)\s+([a-z_]\w*)\s*(?=\()/i;

/**
 * Reads the macros of a file.
 * @throws ModelFailedError when the file has a statement that is not CREATE MACRO
 */
export function parseMacros(file: SqlFile): MacroText[] {
  const path = pathOf(file);
  return splitStatements(file.text).map((statement, i) => {
    const match = CREATE.exec(statement);
    const name = match?.[1];
    if (match === null || name === undefined)
      throw new ModelFailedError(
        `${path}, statement ${i + 1} does not create a macro: ${shorten(statement)}`,
        'A file of macros may contain only statements of this form: CREATE MACRO name(parameter) AS expression; The name has no schema and no quotes.',
      );
    const sql = `CREATE OR REPLACE TEMP MACRO ${name}${statement.slice(match[0].length)}`;
    return { kind: 'macro', name: name.toLowerCase(), file: file.name, path, sql };
  });
}

/**
 * Returns queries from which DuckDB's parser can read what a macro reads and calls.
 * @param bodies Rows of `duckdb_functions()` for the macro, one for each list of parameters
 * @param functions Names of all functions and macros, in lower case
 */
export function queriesOfMacro(
  sql: string,
  bodies: readonly { type: string; definition: string }[],
  functions: ReadonlySet<string>,
): string[] {
  const queries = bodies.map(({ type, definition }) => (type === 'macro' ? `SELECT (${definition})` : definition));
  // DuckDB does not show default values of parameters (`day := today()`). So each name of a function counts as a call.
  const [, ...withDefaults] = sql.toLowerCase().split(':=');
  const words = withDefaults.join(' ').match(/[a-z_]\w*/g) ?? [];
  const called = [...new Set(words)].filter((word) => functions.has(word) || WITHOUT_PARENTHESES.test(word));
  return called.length === 0 ? queries : [...queries, `SELECT ${called.map((word) => `main."${word}"()`).join(', ')}`];
}

function shorten(statement: string): string {
  const line = statement.replaceAll(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
