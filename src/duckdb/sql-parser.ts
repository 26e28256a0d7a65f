import type { DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';
import { Database } from './database.js';
import { openInstance } from './instance.js';

/** The result of parsing one query: either the tables that it reads, or a fault. */
export type ParsedSql = { tables: readonly string[]; fault?: never } | { fault: SqlFault; tables?: never };

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
  /** Returns the tables that a query names with a schema (`core.companies`), sorted by name and without repetitions. */
  parse(sql: string): Promise<ParsedSql>;
}

const Answer = z.union([
  z.object({ error: z.literal(false), statements: z.array(z.unknown()) }),
  z.object({ error: z.literal(true), error_message: z.string(), position: z.coerce.number().optional() }),
]);

const TableNode = z.object({ type: z.literal('BASE_TABLE'), schema_name: z.string().min(1), table_name: z.string() });

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
  return { tables: [...new Set(findTables(answer.statements))].toSorted() };
}

/** Collects the table names that have a schema. A name without a schema belongs to a CTE. */
function findTables(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(findTables);
  if (typeof node !== 'object' || node === null) return [];
  const table = TableNode.safeParse(node);
  if (table.success) return [`${table.data.schema_name}.${table.data.table_name}`];
  return Object.values(node).flatMap(findTables);
}

/** Converts a byte position in the query to a line number, from 1. */
function lineAt(sql: string, position: number | undefined): number | null {
  return position === undefined ? null : Buffer.from(sql).subarray(0, position).toString().split('\n').length;
}
