import type { DuckDBConnection } from '@duckdb/node-api';
import { formatCount } from '../../../../schemas/format.js';
import { invalidInput, type TidemarkError } from '../../../base/errors.js';
import { splitStatements } from '../../../warehouse/duckdb/split-statements.js';
import { MAX_TEXT } from './limits.js';

/*
 * Which statements people may run in the explorer. The settings of the locked instance forbid files, network,
 * extensions and changes. But some functions act in spite of these settings: `enable_logging` opens files, `query` runs
 * a text. So only the table functions below are allowed. A test compares them with all functions that DuckDB lists.
 */

/** Table functions that only compute, or describe the opened file. */
export const ALLOWED_TABLE_FUNCTIONS: ReadonlySet<string> = names(`
  range generate_series unnest repeat repeat_row json_each json_tree summary query_table histogram
  histogram_values icu_calendar_names pg_timezone_names test_all_types duckdb_columns
  duckdb_constraints duckdb_databases duckdb_dependencies duckdb_extensions duckdb_functions
  duckdb_indexes duckdb_keywords duckdb_memory duckdb_optimizers duckdb_schemas duckdb_sequences
  duckdb_settings duckdb_tables duckdb_types duckdb_variables duckdb_views pragma_collations
  pragma_database_size pragma_platform pragma_show pragma_storage_info pragma_table_info
  pragma_user_agent pragma_version`);

/** Pragmas that only describe the opened file. */
export const ALLOWED_PRAGMAS: ReadonlySet<string> = names(`
  collations database_list database_size functions platform show show_databases show_tables
  show_tables_expanded storage_info table_info user_agent version`);

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

const EXPLAIN = /^explain\s+(?:analyze\s+)?(?:\([^()]*\)\s*)?/i;
const PRAGMA = /^pragma\s+(\w+)\s*(?:\([^=]*\))?\s*$/i;
/** Functions that are no table functions, but write. */
const FORBIDDEN_FUNCTIONS: ReadonlySet<string> = new Set(['write_log']);

/** @throws TidemarkError `InvalidInput` for a text longer than `MAX_TEXT` */
export function checkLength(sql: string): void {
  if (sql.length > MAX_TEXT)
    throw invalidInput('The query is too long.', `Shorten it to ${formatCount(MAX_TEXT)} characters.`);
}

/**
 * Splits a text into statements, and checks that each only reads.
 * @returns the statements, at least one
 * @throws TidemarkError `InvalidInput` for an empty text, or a statement or function that does more than read
 * @throws Error of DuckDB for a syntax error
 */
export async function checkStatements(connection: DuckDBConnection, sql: string): Promise<[string, ...string[]]> {
  checkLength(sql);
  const [first, ...others] = splitStatements(sql);
  if (first === undefined) throw invalidInput('There is no statement.', 'Write a query, such as FROM marts.companies.');
  for (const statement of [first, ...others]) await checkStatement(connection, statement);
  return [first, ...others];
}

async function checkStatement(connection: DuckDBConnection, statement: string): Promise<void> {
  const pragma = PRAGMA.exec(statement)?.[1];
  if (pragma !== undefined && ALLOWED_PRAGMAS.has(pragma.toLowerCase())) return;
  const tree = await parseQuery(connection, statement.replace(EXPLAIN, ''));
  if (tree === null) {
    // Shows a syntax error, if there is one.
    await connection.extractStatements(statement);
    throw refused(`${/^\w+/.exec(statement)?.[0].toUpperCase() ?? 'Such'} statements do not run here`);
  }
  const { tableFunctions, functions } = calledIn(tree);
  for (const name of tableFunctions) {
    if (!ALLOWED_TABLE_FUNCTIONS.has(name)) throw refused(`The table function ${name} does not run here`);
  }
  for (const name of functions) {
    if (FORBIDDEN_FUNCTIONS.has(name)) throw refused(`The function ${name} does not run here`);
  }
}

function refused(what: string): TidemarkError {
  return invalidInput(
    `${what}: the explorer only reads the published tables.`,
    'Use SELECT, FROM, WITH, VALUES, SHOW, DESCRIBE, SUMMARIZE or EXPLAIN on tables of the list.',
  );
}

/** Returns DuckDB's syntax tree of a query. Null if the text is no query. */
async function parseQuery(connection: DuckDBConnection, sql: string): Promise<unknown> {
  const result = await connection.runAndReadAll(
    'SELECT json_serialize_sql($sql::VARCHAR, skip_null := true, skip_empty := true)',
    { sql },
  );
  const tree = parseTree(String(result.getRows()[0]?.[0]));
  return !tree.error && tree.statements?.length === 1 ? tree : null;
}

/** Parses a syntax tree. DuckDB writes a number that is too large for it as `Infinity`, which JSON does not have. */
function parseTree(text: string): { error: boolean; statements?: unknown[] } {
  const json = text.replaceAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:Infinity|NaN)\b/g, (found) =>
    found.startsWith('"') ? found : 'null',
  );
  return JSON.parse(json) as { error: boolean; statements?: unknown[] };
}

/** Names of the functions that a syntax tree calls, in lower case. */
function calledIn(tree: unknown): { tableFunctions: Set<string>; functions: Set<string> } {
  const found = { tableFunctions: new Set<string>(), functions: new Set<string>() };
  const open: unknown[] = [tree];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== 'object' || node === null) continue;
    const { type, function: called, function_name: name } = node as Record<string, unknown>;
    if (typeof name === 'string') found.functions.add(name.toLowerCase());
    if (type === 'TABLE_FUNCTION') {
      const table = (called as Record<string, unknown> | undefined)?.['function_name'];
      // A table function without a readable name must not run.
      found.tableFunctions.add(typeof table === 'string' ? table.toLowerCase() : 'without a name');
    }
    open.push(...Object.values(node));
  }
  return found;
}
