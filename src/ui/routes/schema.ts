import type { FastifyInstance } from 'fastify';
import type { SchemaAnswer, TableInfo } from '../../../schemas/explorer/api.js';
import { readSqlFile } from '../../duckdb/sql-files.js';
import type { Reader } from '../data/reader.js';
import { answer, query, type Routes } from './context.js';

interface ColumnRow {
  table: string;
  description: string | null;
  rows: number | null;
  column: string;
  type: string;
  comment: string | null;
}

/** `GET /api/v1/schema`: tables, columns and functions, for completion and the dictionary. */
export function schemaRoutes(app: FastifyInstance, routes: Routes): void {
  app.get('/api/v1/schema', async (_, reply) =>
    answer(routes, reply, async (reader): Promise<SchemaAnswer> => {
      const functions = await reader.rows<SchemaAnswer['functions'][number]>(query('functions'));
      return { tables: await readTables(reader), functions };
    }),
  );
}

/** Reads every table with its columns and comments. */
export async function readTables(reader: Reader): Promise<TableInfo[]> {
  const tables = new Map<string, TableInfo>();
  for (const row of await reader.rows<ColumnRow>(readSqlFile('report/columns.sql').text)) {
    const { table, description, rows, column, type, comment } = row;
    const known = tables.get(table) ?? { table, description, rows, columns: [] };
    known.columns.push({ name: column, type, comment });
    tables.set(table, known);
  }
  return [...tables.values()];
}
