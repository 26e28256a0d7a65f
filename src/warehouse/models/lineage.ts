import { z } from 'zod';
import type { Database } from '../duckdb/database.js';
import { withEmptyTables } from './empty-tables.js';
import { traceColumns } from './lineage-trace.js';
import { assembleModels, type Model } from './models.js';
import type { Published } from '../builds/published.js';

/** The columns from which the values of a column come, as far as DuckDB's query plan shows them. */
export interface ColumnLineage {
  /**
   * - `copied`: the value of one column, unchanged or cast.
   * - `derived`: computed, or taken from several columns.
   * - `made`: from no column, such as a literal or a count of rows.
   * - `unknown`: the plan has an operator that this code does not know.
   */
  lineage: 'copied' | 'derived' | 'made' | 'unknown';
  /**
   * Source columns as `schema.table.column`, sorted by name. The tables are models or tables of loaded records
   * (`ledger`).
   */
  from: string[];
}

/** Lineage by model name, then by column name. */
export type Lineage = ReadonlyMap<string, ReadonlyMap<string, ColumnLineage>>;

const Answer = z.object({ error: z.boolean(), plans: z.array(z.unknown()).optional() });

/**
 * Finds the source columns of every column of every model. Creates empty tables, and reads the plan that DuckDB makes
 * for each model. So DuckDB resolves `*`, CTEs, joins and macros as in a real build. A column that only selects rows
 * (`WHERE`, `ON`) is not a source.
 * @throws ModelFailedError when the tables cannot be created
 */
export async function readLineage(models: readonly Model[]): Promise<Lineage> {
  const work = async (db: Database): Promise<Lineage> => {
    const lineage = new Map<string, ReadonlyMap<string, ColumnLineage>>();
    for (const model of models) lineage.set(model.model, await readModelLineage(db, model));
    return lineage;
  };
  return withEmptyTables(models, work, (_, error) => {
    throw error;
  });
}

/**
 * Reads the lineage of the models from which a published file was built. Uses the SQL texts stored in that file.
 * Returns an empty map if the texts cannot be read.
 */
export async function readPublishedLineage(published: Published): Promise<Lineage> {
  try {
    const rows = await published.objects<{ table_name: string; definition: string }>(
      'SELECT table_name, definition FROM meta.models WHERE table_name IS NOT NULL',
    );
    const files = rows.map(({ table_name: table, definition }) => ({
      name: `${table.replace('.', '/')}.sql`,
      text: definition,
    }));
    return await readLineage((await assembleModels(files, [])).models);
  } catch {
    // The published file was written by another version of Tidemark.
    return new Map();
  }
}

/** The lineage text of a derived column names at most this many source columns of each table. */
const MAX_SOURCES = 8;

/**
 * Describes lineage as text. For a copy: the source column, such as `core.companies.name`. Otherwise: the kind of
 * lineage, and the source columns by table.
 * @param name Formats the name of a table or column
 */
export function tellLineage(
  { lineage, from = [] }: Partial<ColumnLineage>,
  name: (text: string) => string = (text) => text,
): string {
  if (lineage === undefined || lineage === 'unknown') return '';
  if (lineage === 'copied') return from.map(name).join(', ');
  const tables = [...new Set(from.map(tableOf))];
  const told = tables.map((table) => {
    const columns = from.filter((column) => tableOf(column) === table).map((column) => column.slice(table.length + 1));
    const more = columns.length - MAX_SOURCES;
    return `${name(table)} (${columns.slice(0, MAX_SOURCES).join(', ')}${more > 0 ? ` and ${more} more` : ''})`;
  });
  return `${lineage}${told.length > 0 ? `: ${told.join(', ')}` : ''}`;
}

function tableOf(column: string): string {
  return column.slice(0, column.lastIndexOf('.'));
}

async function readModelLineage(db: Database, model: Model): Promise<ReadonlyMap<string, ColumnLineage>> {
  const columns = Object.keys(model.columns);
  try {
    // Create `changed` as a view, so that the lineage continues to the columns from which the keys come.
    if (model.incremental !== undefined)
      await db.run(`CREATE OR REPLACE TEMP VIEW changed AS ${model.incremental.all}`);
    const [row] = await db.rows<{ plan: string }>(
      'SELECT json_serialize_plan(CAST($sql AS VARCHAR), optimize := false) AS plan',
      { sql: model.sql },
    );
    const answer = Answer.parse(JSON.parse(row?.plan ?? ''));
    const sources = traceColumns(answer.plans?.[0]);
    if (sources.length !== columns.length) throw new Error('the plan and the model have different numbers of columns');
    return new Map(columns.map((column, i) => [column, describe(sources[i])]));
  } catch {
    return new Map(columns.map((column) => [column, { lineage: 'unknown', from: [] }]));
  }
}

function describe(source: ReturnType<typeof traceColumns>[number] | undefined): ColumnLineage {
  const from = [...(source?.columns ?? [])].toSorted();
  if (from.length === 0) return { lineage: 'made', from };
  return { lineage: source?.isCopy === true && from.length === 1 ? 'copied' : 'derived', from };
}
