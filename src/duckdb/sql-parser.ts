import { DuckDBInstance } from '@duckdb/node-api';
import { z } from 'zod';
import { Database } from './database.js';

/** Result of parsing one query: its tables or a fault. */
export type ParsedSql = { tables: readonly string[]; fault?: never } | { fault: SqlFault; tables?: never };

/** Why a query does not parse. */
export interface SqlFault {
  message: string;
  /** Line of the query with the fault, from 1; null when the parser does not report it. */
  line: number | null;
}

/** DuckDB's own parser, without a catalog. The parser distinguishes tables from strings, comments and CTEs. */
export interface SqlParser {
  /** Returns the tables that a query names with a schema (`core.companies`), each once, by name. */
  parse(sql: string): Promise<ParsedSql>;
}

const Answer = z.union([
  z.object({ error: z.literal(false), statements: z.array(z.unknown()) }),
  z.object({ error: z.literal(true), error_message: z.string(), position: z.coerce.number().optional() }),
]);

const TableNode = z.object({ type: z.literal('BASE_TABLE'), schema_name: z.string().min(1), table_name: z.string() });

// Cache of parsed queries: one process reads the models many times.
const known = new Map<string, ParsedSql>();

/** Runs work with a parser. Opens DuckDB only for a query that was not parsed before. */
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
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', autoinstall_known_extensions: 'false' });
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

/** Collects table names with a schema. Names without a schema are CTEs. */
function findTables(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(findTables);
  if (typeof node !== 'object' || node === null) return [];
  const table = TableNode.safeParse(node);
  if (table.success) return [`${table.data.schema_name}.${table.data.table_name}`];
  return Object.values(node).flatMap(findTables);
}

/** Converts the parser's byte position to a line number, from 1. */
function lineAt(sql: string, position: number | undefined): number | null {
  return position === undefined ? null : Buffer.from(sql).subarray(0, position).toString().split('\n').length;
}
