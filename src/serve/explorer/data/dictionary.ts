import type { Dictionary, TableEntry } from '../../../../schemas/explorer/api.js';
import { describeTables, type TableDocs } from '../../../warehouse/models/docs.js';
import { readLineage } from '../../../warehouse/models/lineage.js';
import { assembleModels, type Model } from '../../../warehouse/models/models.js';
import { readsOfModels } from '../../../warehouse/models/reads.js';
import { landingTables } from './landing-tables.js';

/** A model of the published file, with its text. */
export interface ModelText {
  table_name: string;
  definition: string;
}

/** What the models say about the tables, from their texts. */
export type ModelFacts = Pick<Dictionary, 'missing' | 'streams' | 'every_stream'> & {
  tables: ReadonlyMap<
    string,
    Omit<TableEntry, 'table' | 'description' | 'rows' | 'columns' | 'audits' | 'versions' | 'changes'> & ModelTable
  >;
};

interface ModelTable {
  audits: { name: string; severity: string }[];
  columns: ReadonlyMap<string, Pick<TableEntry['columns'][number], 'lineage' | 'from'>>;
}

/**
 * Reads the models of a published file, and the lineage of their columns. Takes about a second. Never rejects: if the
 * texts cannot be read, `missing` says what is therefore unknown.
 */
export async function readModelFacts(rows: readonly ModelText[]): Promise<ModelFacts> {
  const landing = landingTables();
  const facts = { streams: landing.streams, every_stream: landing.every };
  try {
    const files = rows.map(({ table_name: table, definition }) => ({
      name: `${table.replace('.', '/')}.sql`,
      text: definition,
    }));
    const { models } = await assembleModels(files, []);
    const reads = await readsOfModels(models, new Map());
    const docs = describeTables(models, await readLineage(models));
    const tables = new Map(
      docs.map((table) => [table.table, toFacts(table, models, reads.get(table.table)?.rows.tables)]),
    );
    return { ...facts, tables, missing: null };
  } catch {
    const missing =
      'The file has no texts of its models that this version can read. So grain, key, audits and lineage are unknown.';
    return { ...facts, tables: new Map(), missing };
  }
}

function toFacts(
  docs: TableDocs,
  models: readonly Model[],
  reads: ReadonlySet<string> | undefined,
): ModelFacts['tables'] extends ReadonlyMap<string, infer Facts> ? Facts : never {
  // The tables `dirty_…` list changed keys and hold no data.
  const loaded = [...(reads ?? [])].filter((table) => /^(?:ledger\.(?!dirty_)|base\.)/.test(table));
  const model = models.find((one) => one.model === docs.table);
  return {
    grain: docs.grain,
    key: docs.key,
    nullable: docs.nullable,
    kind: docs.kind,
    version: docs.version,
    owner: docs.owner,
    tags: docs.tags,
    deprecation_date: docs.deprecationDate,
    reads: [...new Set([...docs.parents, ...loaded])].toSorted(),
    sql: model?.sql.trim() ?? null,
    audits: docs.audits.map(({ name, severity }) => ({ name, severity })),
    columns: new Map(
      docs.columns.map(({ name, lineage, from }) => [name, { lineage: lineage ?? null, from: from ?? [] }]),
    ),
  };
}
