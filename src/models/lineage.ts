import { z } from 'zod';
import { putSettings } from './build-model.js';
import type { Database } from '../duckdb/database.js';
import { withMemory } from '../duckdb/in-memory.js';
import { traceColumns } from './lineage-trace.js';
import { applyMigrations } from '../duckdb/migrate.js';
import { assembleModels, MODEL_SCHEMAS, type Model } from './models.js';
import type { Published } from '../builds/published.js';
import { prepareSession } from '../duckdb/session.js';
import { identifier } from '../duckdb/sql-files.js';

/** Source of the values of a column, as far as DuckDB's binder shows. */
export interface ColumnLineage {
  /**
   * - `copied`: one column of a table, unchanged or cast.
   * - `derived`: computed, or from several columns.
   * - `made`: from no column, such as a literal or a count of rows.
   * - `unknown`: the plan has an operator that this code does not know.
   */
  lineage: 'copied' | 'derived' | 'made' | 'unknown';
  /** Source columns as `schema.table.column`, of models and of loaded records (`ledger`), sorted by name. */
  from: string[];
}

/** Model name to column name to lineage. */
export type Lineage = ReadonlyMap<string, ReadonlyMap<string, ColumnLineage>>;

const Answer = z.object({ error: z.boolean(), plans: z.array(z.unknown()).optional() });

/**
 * Follows every column of every model to its source columns. Makes empty tables, and reads the plan that DuckDB makes
 * for each model. So DuckDB resolves `*`, CTEs, joins and macros as in a real build. A column that is used only to
 * select rows (`WHERE`, `ON`) is not a source.
 * @throws ModelFailedError when the tables cannot be made
 */
export async function readLineage(models: readonly Model[]): Promise<Lineage> {
  return withMemory(':memory:', async (db) => {
    await prepareSession(db);
    await putSettings(db, { personalData: true });
    await applyMigrations(db);
    for (const schema of MODEL_SCHEMAS) await db.run(`CREATE SCHEMA ${schema}`);
    for (const { model, columns } of models) {
      const described = Object.entries(columns).map(([name, { type }]) => `${identifier(name)} ${type}`);
      await db.run(`CREATE TABLE ${model} (${described.join(', ')})`);
    }
    const lineage = new Map<string, ReadonlyMap<string, ColumnLineage>>();
    for (const model of models) lineage.set(model.model, await readModelLineage(db, model));
    return lineage;
  });
}

/**
 * Lineage of the models from which a published file was built. Reads the SQL texts in that file; empty if the texts
 * cannot be read.
 */
export async function readPublishedLineage(published: Published): Promise<Lineage> {
  try {
    const rows = await published.objects<{ model: string; table_name?: string | null; definition?: string | null }>(
      `SELECT * FROM meta.models WHERE state <> 'retired'`,
    );
    const files = rows.flatMap(({ model, table_name: table, definition }) =>
      definition ? [{ name: `${(table ?? model).replace('.', '/')}.sql`, text: definition }] : [],
    );
    return await readLineage((await assembleModels(files, [])).models);
  } catch {
    // Another version of Tidemark published this file.
    return new Map();
  }
}

/** Maximum number of source columns that the text of a derived column names for each table. */
const MAX_SOURCES = 8;

/**
 * Writes lineage as text: `core.companies.name` for a copy, else the kind and the source columns by table.
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
    // Make `changed` a view: the lineage then continues to the source of the keys.
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
