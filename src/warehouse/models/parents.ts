import { ModelFailedError } from '../duckdb/errors.js';
import { MODEL_SCHEMAS, type ModelFile } from './model-file.js';
import { parseQueries, type Parsed, type SqlNames } from '../duckdb/sql-parser.js';

/** A model file with the names of the models it reads, sorted. */
export type WithParents = ModelFile & { parents: string[] };

/**
 * Finds the models that each model reads.
 * @throws ModelFailedError with file and line when the SQL of a model does not parse
 * @throws ModelFailedError when an audit of an older version queries the latest version's table
 */
export async function findParents(models: readonly ModelFile[]): Promise<WithParents[]> {
  const known = new Set(models.map(({ model }) => model));
  // Loads and builds fill the other tables of the schema `base`.
  const isModel = (name: string): boolean => !name.startsWith('base.') || known.has(name);
  const parsed = await parseQueries(models.flatMap(queriesOf));
  return models.map((model) => {
    checkAudits(parsed, model);
    return { ...model, parents: parentsOf(parsed, model).filter(isModel) };
  });
}

/** Returns all queries of a model: its own, those of the block `incremental`, and its audits. */
export function queriesOf({ sql, incremental, audits }: ModelFile): string[] {
  const { changed, all } = incremental ?? {};
  return [sql, changed, all, ...audits.map((audit) => audit.sql)].filter((query) => query !== undefined);
}

function parentsOf(parsed: Parsed, model: ModelFile): string[] {
  const firstLine = model.text.slice(0, model.text.length - model.sql.length).split('\n').length;
  const parents = [...tablesIn(parsed, model, model.sql, (line) => firstLine + line - 1)];
  for (const name of ['changed', 'all'] as const) {
    const sql = model.incremental?.[name];
    // YAML joins the lines of the query, so the line of an error is unknown. Report the line on which the query begins.
    const at = model.text.split('\n').findIndex((line) => line.trim().startsWith(`${name}:`)) + 1;
    if (sql !== undefined) parents.push(...tablesIn(parsed, model, sql, () => at));
  }
  return [...new Set(parents)].filter((name) => isModelName(name) && name !== model.model).toSorted();
}

/**
 * Rejects an older version if its audits query the latest version's table. This happens when a file is copied and its
 * audits are not changed.
 */
function checkAudits(parsed: Parsed, model: ModelFile): void {
  for (const audit of model.audits) {
    const tables = tablesIn(parsed, model, audit.sql, () => null, `audit ${audit.name}: `);
    if (model.model === model.name || tables.includes(model.model) || !tables.includes(model.name)) continue;
    throw new ModelFailedError(
      `${model.path}: audit ${audit.name} reads ${model.name}, not ${model.model}.`,
      `Write ${model.model} in the audit: it is the table of this file.`,
    );
  }
}

function tablesIn(
  parsed: Parsed,
  { path }: ModelFile,
  sql: string,
  lineInFile: (line: number) => number | null,
  what = '',
): readonly string[] {
  const { tables, fault } = parsed(sql);
  if (tables !== undefined) return tables;
  const line = lineInFile(fault.line ?? 1);
  throw new ModelFailedError(
    `${path}${line === null ? '' : `:${line}`}: ${what}DuckDB cannot parse the SQL: ${fault.message}.`,
    'Correct the SQL in that file. Nothing was built; the current build stays current.',
  );
}

/**
 * Returns all names in some queries.
 * @throws ModelFailedError when DuckDB cannot parse a query
 */
export async function namesOfQueries(queries: readonly string[]): Promise<SqlNames> {
  const parsed = await parseQueries(queries);
  const found = queries.map((sql) => {
    const names = parsed(sql);
    if (names.fault !== undefined) throw new ModelFailedError(`DuckDB cannot parse: ${names.fault.message}`, sql);
    return names;
  });
  const all = (kind: keyof SqlNames): string[] => found.flatMap((names) => names[kind]);
  return {
    tables: all('tables'),
    otherTables: all('otherTables'),
    functions: all('functions'),
    strings: all('strings'),
  };
}

function isModelName(name: string): boolean {
  return MODEL_SCHEMAS.some((schema) => name.startsWith(`${schema}.`));
}
