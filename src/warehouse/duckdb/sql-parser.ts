import { z } from 'zod';
import { sha256 } from '../../base/hash.js';
import type { Database } from './database.js';
import { withMemory } from './in-memory.js';
import { prepared } from './prepared.js';

/** The names in one query. */
export interface SqlNames {
  /** Tables that the query names with a schema (`core.companies`), sorted by name and without repetitions. */
  tables: readonly string[];
  /** Tables that the query names without a schema, such as temporary tables and files. The query's CTEs are left out. */
  otherTables: readonly string[];
  /**
   * Names of functions, in lower case, sorted and without repetitions. Contains functions that are written without parentheses,
   * such as `current_date`, and `describe` and `tablesample` if the query uses these.
   */
  functions: readonly string[];
  /** All strings in the query except empty ones. A macro may get the name of a table as a string. */
  strings: readonly string[];
}

/** The result of parsing one query: either the names in it, or a fault. */
export type ParsedSql = (SqlNames & { fault?: never }) | { fault: SqlFault; tables?: never };

/** Says why a query cannot be parsed. */
export interface SqlFault {
  message: string;
  /** Line of the fault in the query, from 1. Null if the parser does not report the line. */
  line: number | null;
}

const Answer = z.union([
  z.object({ error: z.literal(false).optional(), statements: z.array(z.unknown()).optional() }),
  z.object({ error: z.literal(true), error_message: z.string(), position: z.coerce.number().optional() }),
]);

/** Functions that are called without parentheses. The parser returns them as columns. */
export const WITHOUT_PARENTHESES = /^(?:current_\w+|localtime|localtimestamp|session_user|user)$/i;

/** Returns the result of parsing one of the queries that `parseQueries` got. */
export type Parsed = (sql: string) => ParsedSql;

/**
 * Parses queries with DuckDB's own parser, all in one statement. It can tell tables from strings, comments and CTEs, and
 * needs no existing tables. Opens DuckDB only if a query was not parsed before.
 */
export async function parseQueries(queries: readonly string[]): Promise<Parsed> {
  const known = prepared().queries;
  const unknown = [...new Set(queries)].filter((sql) => known[sha256(sql)] === undefined);
  const parsed = unknown.length === 0 ? [] : await withMemory(':memory:', (db) => parseEach(db, unknown));
  for (const [at, sql] of unknown.entries()) known[sha256(sql)] = parsed[at];
  return (sql) => known[sha256(sql)] as ParsedSql;
}

/** Returns the names in each query, in their order. */
async function parseEach(db: Database, queries: readonly string[]): Promise<ParsedSql[]> {
  // Leave out empty fields: the tree of a long query is then half as large.
  const rows = await db.rows<{ tree: string }>(
    `SELECT json_serialize_sql(sql, skip_null := true, skip_empty := true) AS tree
     FROM (SELECT unnest(q) AS sql, generate_subscripts(q, 1) AS n FROM (SELECT CAST(CAST($queries AS JSON) AS VARCHAR[]) AS q))
     ORDER BY n`,
    { queries: JSON.stringify(queries) },
  );
  return queries.map((sql, at) => readTree(sql, rows[at]?.tree ?? ''));
}

function readTree(sql: string, tree: string): ParsedSql {
  const answer = Answer.parse(JSON.parse(tree));
  if (answer.error) return { fault: { message: answer.error_message, line: lineAt(sql, answer.position) } };
  if (answer.statements?.length !== 1) {
    const count = answer.statements?.length ?? 0;
    return { fault: { message: `${count} statements found, but one query is needed`, line: null } };
  }
  return findNames(answer.statements);
}

/** A node of the parser's tree. A tree has thousands of nodes, so read their fields without zod. */
type Node = Readonly<Record<string, unknown>>;

function findNames(statements: unknown): SqlNames {
  const found = { tables: new Set<string>(), other: new Set<string>(), ctes: new Set<string>() };
  const functions = new Set<string>();
  const strings: string[] = [];
  const visitNode = (node: Node): void => {
    const { type, class: kind, table_name: table, function_name: called } = node;
    if (type === 'BASE_TABLE' && typeof table === 'string') {
      if (node['schema_name']) found.tables.add(`${textOf(node['schema_name'])}.${table}`);
      else found.other.add(table);
    }
    if (typeof called === 'string') functions.add(called.toLowerCase());
    if (kind === 'COLUMN_REF') {
      const names = listOf(node['column_names']);
      const column = names.length === 1 ? textOf(names[0]) : '';
      if (WITHOUT_PARENTHESES.test(column)) functions.add(column.toLowerCase());
    }
    if (type === 'SHOW_REF') functions.add('describe');
    if (node['sample']) functions.add('tablesample');
    const value = kind === 'CONSTANT' ? fieldOf(node['value'], 'value') : undefined;
    if (typeof value === 'string') strings.push(value);
    for (const entry of listOf(fieldOf(node['cte_map'], 'map')))
      found.ctes.add(textOf(fieldOf(entry, 'key')).toLowerCase());
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) visitNode(value as Node);
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(statements);
  const otherTables = [...found.other].filter((name) => !found.ctes.has(name.toLowerCase()));
  return { tables: [...found.tables].toSorted(), otherTables, functions: [...functions].toSorted(), strings };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Node)[name] : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Converts a byte position in the query to a line number, from 1. */
function lineAt(sql: string, position: number | undefined): number | null {
  return position === undefined ? null : Buffer.from(sql).subarray(0, position).toString().split('\n').length;
}
