import type { DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';
import { Database } from './database.js';
import { openInstance } from './instance.js';

/** The names in one query. */
export interface SqlNames {
  /** Tables that the query names with a schema (`core.companies`), sorted by name and without repetitions. */
  tables: readonly string[];
  /** Tables that the query names without a schema, without the names of its CTEs: temporary tables and files. */
  otherTables: readonly string[];
  /**
   * Names of functions, in lower case. Contains functions that are written without parentheses, such as `current_date`,
   * and `describe` and `tablesample` if the query uses these.
   */
  functions: ReadonlySet<string>;
  /** All strings in the query. A macro may get the name of a table as a string. */
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

/**
 * Parses SQL with DuckDB's own parser. It can tell tables from strings, comments and CTEs. It needs no existing tables.
 */
export interface SqlParser {
  /** Returns the names in a query. */
  parse(sql: string): Promise<ParsedSql>;
}

const Answer = z.union([
  z.object({ error: z.literal(false), statements: z.array(z.unknown()) }),
  z.object({ error: z.literal(true), error_message: z.string(), position: z.coerce.number().optional() }),
]);

const TableNode = z.object({ type: z.literal('BASE_TABLE'), schema_name: z.string(), table_name: z.string() });
const FunctionNode = z.object({ function_name: z.string() });
const ColumnNode = z.object({ class: z.literal('COLUMN_REF'), column_names: z.tuple([z.string()]) });
// The parser returns these functions as columns.
const WITHOUT_PARENTHESES = /^(?:current_\w+|localtime|localtimestamp|session_user|user)$/i;
const StringNode = z.object({ class: z.literal('CONSTANT'), value: z.object({ value: z.string() }) });
const WithNode = z.object({ cte_map: z.object({ map: z.array(z.object({ key: z.string() })) }) });

// Caches parsed queries, because one process reads the models many times.
const known = new Map<string, ParsedSql>();

/** Runs `work` with a parser. Opens DuckDB only if a query was not parsed before. */
export async function withParser<T>(work: (parser: SqlParser) => Promise<T>): Promise<T> {
  let opened: { instance: DuckDBInstance; db: Database } | undefined;
  const parser: SqlParser = {
    async parse(sql) {
      const before = known.get(sql);
      if (before !== undefined) return before;
      opened ??= await open();
      const parsed = await parse(opened.db, sql);
      known.set(sql, parsed);
      return parsed;
    },
  };
  try {
    return await work(parser);
  } finally {
    opened?.db.closeSync();
    opened?.instance.closeSync();
  }
}

async function open(): Promise<{ instance: DuckDBInstance; db: Database }> {
  const instance = await openInstance(':memory:', { threads: '1', autoinstall_known_extensions: 'false' });
  return { instance, db: new Database(await instance.connect(), ':memory:') };
}

async function parse(db: Database, sql: string): Promise<ParsedSql> {
  const [row] = await db.rows<{ tree: string }>('SELECT json_serialize_sql(CAST($sql AS VARCHAR)) AS tree', { sql });
  const answer = Answer.parse(JSON.parse(row?.tree ?? ''));
  if (answer.error) return { fault: { message: answer.error_message, line: lineAt(sql, answer.position) } };
  if (answer.statements.length !== 1)
    return { fault: { message: `${answer.statements.length} statements found, but one query is needed`, line: null } };
  return findNames(answer.statements);
}

function findNames(statements: unknown): SqlNames {
  const found = { tables: new Set<string>(), other: new Set<string>(), ctes: new Set<string>() };
  const functions = new Set<string>();
  const strings: string[] = [];
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const table = TableNode.safeParse(node).data;
    if (table?.schema_name) found.tables.add(`${table.schema_name}.${table.table_name}`);
    else if (table !== undefined) found.other.add(table.table_name);
    const called = FunctionNode.safeParse(node).data?.function_name;
    if (called !== undefined) functions.add(called.toLowerCase());
    const column = ColumnNode.safeParse(node).data?.column_names[0] ?? '';
    if (WITHOUT_PARENTHESES.test(column)) functions.add(column.toLowerCase());
    if ('type' in node && node.type === 'SHOW_REF') functions.add('describe');
    if ('sample' in node && node.sample !== null) functions.add('tablesample');
    const string = StringNode.safeParse(node).data?.value.value;
    if (string !== undefined) strings.push(string);
    for (const { key } of WithNode.safeParse(node).data?.cte_map.map ?? []) found.ctes.add(key.toLowerCase());
    Object.values(node).forEach(visit);
  };
  visit(statements);
  const otherTables = [...found.other].filter((name) => !found.ctes.has(name.toLowerCase()));
  return { tables: [...found.tables].toSorted(), otherTables, functions, strings };
}

/** Converts a byte position in the query to a line number, from 1. */
function lineAt(sql: string, position: number | undefined): number | null {
  return position === undefined ? null : Buffer.from(sql).subarray(0, position).toString().split('\n').length;
}
