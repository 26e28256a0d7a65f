import { listAudits } from './audit.js';
import type { SqlFunction } from './functions.js';
import { tellLineage, type ColumnLineage, type Lineage } from './lineage.js';
import { MODEL_SCHEMAS, type Audit, type Model } from './models.js';
import { RECEIPT_COLUMNS, RECEIPT_DESCRIPTION } from './receipt.js';

/** A column of the data dictionary. It has a lineage only if the lineage was read. */
export interface ColumnDocs extends Partial<ColumnLineage> {
  name: string;
  type: string;
  comment: string;
}

/** A published table in the data dictionary. */
export interface TableDocs extends Pick<
  Model,
  'path' | 'deprecationDate' | 'kind' | 'version' | 'tags' | 'grain' | 'key' | 'nullable' | 'parents'
> {
  table: string;
  description: string;
  /** Who answers questions about the table; null if the header names nobody. */
  owner: string | null;
  columns: ColumnDocs[];
  /** Audits that run after each build. They include the audits of the key. */
  audits: Audit[];
  /** Macros and seeds of the user's own folder that this model uses. */
  uses: { kind: 'macro' | 'seed'; name: string; path: string }[];
  /** Models that read this model. */
  children: string[];
}

const SCHEMAS: Record<(typeof MODEL_SCHEMAS)[number], string> = {
  core: 'records and their history',
  marts: 'tables for common questions',
  ops: 'runs, requests, coverage and rejects',
  meta: 'origin of the published file',
  base: 'stored tables that views read (not promised)',
};

/**
 * Describes every model as a table of the data dictionary, sorted by schema and name.
 * @param lineage Result of `readLineage`; without it, the columns have no lineage
 */
export function describeTables(models: readonly Model[], lineage?: Lineage): TableDocs[] {
  return MODEL_SCHEMAS.flatMap((schema) =>
    models
      .filter(({ model }) => model.startsWith(`${schema}.`))
      .toSorted((a, b) => (a.model < b.model ? -1 : 1))
      .map((model) => ({
        table: model.model,
        description: model.description.trim(),
        path: model.path,
        deprecationDate: model.deprecationDate,
        kind: model.kind,
        version: model.version,
        owner: model.owner ?? null,
        tags: model.tags,
        grain: model.grain,
        key: model.key,
        nullable: model.nullable,
        columns: Object.entries(model.columns).map(([name, column]) => ({
          name,
          ...column,
          ...lineage?.get(model.model)?.get(name),
        })),
        audits: listAudits(model),
        parents: model.parents,
        uses: (model.uses ?? []).map((object) => ({ kind: object.kind, name: object.name, path: object.path })),
        children: models
          .filter(({ parents }) => parents.includes(model.model))
          .map((child) => child.model)
          .toSorted(),
      })),
  );
}

/**
 * Renders the data dictionary as Markdown: first the tables by schema, then the functions that are published with them.
 */
export function renderDictionary(tables: readonly TableDocs[], functions: readonly SqlFunction[] = []): string {
  const known = new Set(tables.map(({ table }) => table));
  const sections = MODEL_SCHEMAS.map((schema) => {
    const own = tables.filter(({ table }) => table.startsWith(`${schema}.`));
    const receipt = schema === 'meta' ? [renderReceipt()] : [];
    return [`## ${schema}: ${SCHEMAS[schema]}`, ...own.map((table) => renderTable(table, known)), ...receipt].join(
      '\n\n',
    );
  });
  return `${[INTRODUCTION, renderIndex(tables), ...sections, ...renderFunctions(functions)].join('\n\n')}\n`;
}

const INTRODUCTION = `# Data dictionary

This page describes every table of the published warehouse: \`data/published/market.duckdb\` and, as Parquet, \`data/published/lake\`.
Do not edit this page. \`tidemark models docs --out docs/data-dictionary.md\` writes it from the headers of the models in \`sql/\`.

The published file also contains these descriptions, as comments on tables and columns:

\`\`\`sh
tidemark sql "SELECT column_name, data_type, comment FROM duckdb_columns() WHERE table_name = 'companies'"
\`\`\`

Unless a column says otherwise, NULL means that the API gave no value: the field was missing, null or an empty text. A rejected value
is NULL too; [ops.rejects](#opsrejects) has the value.

Only the landed answers show which case it is. This query shows how the answers for company 7 state \`vat_number\`. The result is NULL
if the field is missing, otherwise \`null\`, \`""\` or the value.

\`\`\`sql
SELECT fetched_at, json_extract(body, '$.vat_number') AS vat_number
FROM read_parquet('data/landing/companies/*/*/*.parquet', hive_partitioning = false)
WHERE entity_id = '7' AND status = 200
ORDER BY fetched_at
\`\`\`

The kind of a model says how a run builds it. All kinds are published as tables:

- \`table\`: a run builds the whole table if its inputs changed.
- \`incremental\`: a run builds only the rows of keys that changed.
- \`view\`: a view in the warehouse file.

A new version of a table may break queries that were written for the version before.

The column "From" says where the values of a column come from:

- a column name: copied from this column of another table
- *derived*: computed from the named columns
- *made*: not from a column, for example a constant or a count of rows

Columns that only select rows (joins, filters) are not listed. Two schemas are not promised:

- \`ledger\` has the loaded records. Only the warehouse file has this schema.
- \`base\` has tables that published views read. Their names and columns may change with each version.

\`tidemark models docs --json\` prints the data dictionary as JSON.`;

function renderIndex(tables: readonly TableDocs[]): string {
  const rows = tables.map(({ table, grain, key }) => [link(table), cell(grain), key.map(code).join(', ')]);
  return markdownTable(['Table', 'One row per', 'Key'], rows);
}

function renderTable(docs: TableDocs, known: ReadonlySet<string>): string {
  const { table, description, path, kind, version, grain, key, nullable, columns, audits, parents, children, uses } =
    docs;
  const names = (models: string[]) => models.map((model) => (known.has(model) ? link(model) : code(model))).join(', ');
  const facts = [
    `One row per ${grain}`,
    `Key: ${key.map(code).join(', ')}${nullable.length > 0 ? ` (may be NULL: ${nullable.map(code).join(', ')})` : ''}`,
    `Kind: ${kind}, version ${version}, made by ${path.startsWith('sql/') ? `[${path}](../${path})` : code(path)}`,
    `Parents: ${names(parents) || (uses.length > 0 ? 'none' : 'none; it reads records loaded from the landing zone')}`,
    ...(uses.length === 0
      ? []
      : [`Macros and seeds: ${uses.map((one) => `${code(one.name)} (${code(one.path)})`).join(', ')}`]),
    `Children: ${names(children) || 'none'}`,
  ];
  return [
    `### ${table}`,
    cell(description),
    facts.map((fact) => `- ${fact}`).join('\n'),
    renderColumns(columns),
    `Audits: ${audits.map(({ name, severity }) => `${code(name)} (${severity})`).join(', ')}`,
  ].join('\n\n');
}

function renderFunctions(functions: readonly SqlFunction[]): string[] {
  if (functions.length === 0) return [];
  const sections = functions.map(({ function: name, returns, parameters, description, file }) => {
    const call = `${name}(${Object.keys(parameters).join(', ')})`;
    const told = Object.entries(parameters).map(([parameter, what]) => `- ${code(parameter)}: ${what}`);
    const kind = returns === 'TABLE' ? `A table: \`FROM ${call}\`` : `An expression of type ${code(returns)}`;
    return [
      `### ${name}`,
      cell(description),
      [`- ${kind}, made by [sql/${file}](../sql/${file})`, ...told].join('\n'),
    ].join('\n\n');
  });
  return ['## Functions', FUNCTIONS, ...sections];
}

const FUNCTIONS = `Macros in the published DuckDB file; the Parquet files have none. The macros name tables by schema, without a database. If you
attach the file to another database, run \`USE\` for the attached file first. This query lists the macros:
\`SELECT function_name, comment FROM duckdb_functions() WHERE schema_name = 'core'\`.`;

/** Renders `meta.receipt`. No model makes this table: the publication writes it. */
function renderReceipt(): string {
  const columns = RECEIPT_COLUMNS.map(([name, type, comment]) => ({ name, type, comment }));
  return ['### meta.receipt', RECEIPT_DESCRIPTION, renderColumns(columns)].join('\n\n');
}

function renderColumns(columns: TableDocs['columns']): string {
  const hasLineage = columns.some(({ lineage }) => lineage !== undefined);
  return markdownTable(
    ['Column', 'Type', 'Description', ...(hasLineage ? ['From'] : [])],
    columns.map((column) => [
      code(column.name),
      code(column.type),
      cell(column.comment),
      ...(hasLineage ? [tellLineage(column, code)] : []),
    ]),
  );
}

function markdownTable(head: string[], rows: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

/** Returns a link to the section of a table. Markdown viewers leave out the dot of a heading in its anchor. */
function link(table: string): string {
  return `[${table}](#${table.replaceAll('.', '')})`;
}

function code(text: string): string {
  return `\`${text.replaceAll('|', String.raw`\|`)}\``;
}

/**
 * Converts plain text to one line of Markdown. Escapes the characters that have a meaning in tables, tags and emphasis.
 */
function cell(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\|<>*`[\]]|(?<=^|\s)_|_(?=\s|$)/g, String.raw`\$&`);
}
