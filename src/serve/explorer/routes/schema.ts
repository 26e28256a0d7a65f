import type { FastifyInstance } from 'fastify';
import { createHash } from 'node:crypto';
import type { Dictionary, SchemaAnswer, TableChange, TableEntry, TableInfo } from '../../../../schemas/explorer/api.js';
import { readSqlFile } from '../../../warehouse/duckdb/sql-files.js';
import { hasTables } from '../../../warehouse/builds/has-tables.js';
import type { Reader } from '../../../warehouse/builds/reader.js';
import { readModelFacts, type ModelFacts, type ModelText } from '../data/dictionary.js';
import { answer, query, type Routes } from './context.js';

interface ColumnRow {
  table: string;
  description: string | null;
  rows: number | null;
  column: string;
  type: string;
  comment: string | null;
}

interface CheckRow {
  model: string;
  check: string;
  failing_rows: number;
  at: string;
}

/** Routes that describe the tables: for completion (`schema`), and with models, audits and lineage (`dictionary`). */
export function schemaRoutes(app: FastifyInstance, routes: Routes): void {
  app.get('/api/v1/schema', async (_, reply) =>
    answer(routes, reply, async (reader): Promise<SchemaAnswer> => {
      const functions = await reader.rows<SchemaAnswer['functions'][number]>(query('functions'));
      return { tables: await readTables(reader), functions };
    }),
  );

  // Most builds have the same models, so keep what their texts say.
  let known: { hash: string; facts: Promise<ModelFacts> } | undefined;
  app.get('/api/v1/dictionary', async (_, reply) =>
    answer(routes, reply, async (reader, { tables }): Promise<Dictionary> => {
      const texts = await reader.rows<ModelText>(query('dictionary-models'));
      const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
      if (known?.hash !== hash) known = { hash, facts: readModelFacts(texts) };
      const { tables: described, ...facts } = await known.facts;
      const sql = query('dictionary-checks');
      const checks = hasTables(tables, sql) ? await reader.rows<CheckRow>(sql) : [];
      const history = await readHistory(reader);
      return {
        ...facts,
        tables: (await readTables(reader)).map((table) => ({
          ...toEntry(table, described, checks),
          versions: history.versions.filter(({ model }) => model === table.table),
          changes: history.changes.filter(({ table_name: name }) => name === table.table),
        })),
      };
    }),
  );
}

/** Reads the versions and the changes of all models. */
async function readHistory(reader: Reader): Promise<{
  versions: (TableEntry['versions'][number] & { model: string })[];
  changes: (TableChange & { table_name: string })[];
}> {
  return {
    versions: await reader.rows(query('dictionary-versions')),
    changes: await reader.rows(query('dictionary-changes')),
  };
}

/** Adds what the model of a table says. */
function toEntry(
  table: TableInfo,
  described: ModelFacts['tables'],
  checks: readonly CheckRow[],
): Omit<TableEntry, 'versions' | 'changes'> {
  const model = described.get(table.table);
  const { columns, audits, ...facts } = model ?? { ...NO_MODEL, columns: new Map<string, never>(), audits: [] };
  const resultOf = (name: string): CheckRow | undefined =>
    checks.find((check) => check.model === table.table && check.check === name);
  return {
    ...table,
    ...facts,
    audits: audits.map((audit) => {
      const result = resultOf(audit.name);
      return { ...audit, failing_rows: result?.failing_rows ?? null, at: result?.at ?? null };
    }),
    columns: table.columns.map((column) => ({
      ...column,
      ...(columns.get(column.name) ?? { lineage: null, from: [] }),
    })),
  };
}

const NO_MODEL = {
  grain: null,
  key: [],
  nullable: [],
  kind: null,
  version: null,
  owner: null,
  tags: [],
  deprecation_date: null,
  reads: [],
  sql: null,
};

/** Reads every table with its columns and comments. */
export async function readTables(reader: Reader): Promise<TableInfo[]> {
  const tables = new Map<string, TableInfo>();
  for (const row of await reader.rows<ColumnRow>(readSqlFile('explorer/report/columns.sql').text)) {
    const { table, description, rows, column, type, comment } = row;
    const known = tables.get(table) ?? { table, description, rows, columns: [] };
    known.columns.push({ name: column, type, comment });
    tables.set(table, known);
  }
  return [...tables.values()];
}
