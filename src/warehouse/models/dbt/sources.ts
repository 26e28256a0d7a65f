import { stringify } from 'yaml';
import type { TableDocs } from '../docs.js';
import { MODEL_SCHEMAS } from '../models.js';
import { checksOf, type DbtFreshness, type DbtTest } from './tests.js';

/** Name of the published file in a dbt profile that attaches it without an alias. */
export const DATABASE = 'market';

const HEADING = `# Written by \`tidemark models docs --dbt\`. Do not edit: the next call replaces this file.
# Attach data/published/market.duckdb in profiles.yml with \`read_only: true\`.
`;

/**
 * Renders the published tables as sources of a dbt project: `{{ source('tidemark_marts', 'companies') }}`.
 * @returns the text of sources.yml, for dbt 1.10.6 or newer
 */
export function renderSources(tables: readonly TableDocs[]): string {
  const sources = MODEL_SCHEMAS.flatMap((schema) => {
    const own = tables.filter(({ table }) => table.startsWith(`${schema}.`));
    if (own.length === 0) return [];
    return [{ name: sourceName(schema), database: DATABASE, schema, loader: 'tidemark', tables: own.map(describe) }];
  });
  return HEADING + stringify({ version: 2, sources }, { lineWidth: 0, aliasDuplicateObjects: false });
}

function describe(docs: TableDocs): object {
  const { tests, freshness, others } = checksOf(docs);
  const ofTable = tests.filter(({ column }) => column === null).map(renderTest);
  return {
    name: docs.table.split('.')[1],
    description: plain(docs.description),
    config: {
      meta: metaOf(
        docs,
        others.map(({ name }) => name),
      ),
      ...(docs.tags.length > 0 ? { tags: docs.tags } : {}),
      ...(freshness === null ? {} : renderFreshness(freshness)),
    },
    ...(ofTable.length > 0 ? { data_tests: ofTable } : {}),
    columns: docs.columns.map(({ name, type, comment }) => {
      const own = tests.filter(({ column }) => column === name).map(renderTest);
      return {
        name,
        description: plain(comment),
        data_type: type,
        // Quoted, because a column may have the name of a keyword.
        ...(own.length > 0 ? { quote: true, data_tests: own } : {}),
      };
    }),
  };
}

/** Facts about a table that dbt has no field for. */
export function metaOf(docs: TableDocs, audits: readonly string[]): Record<string, unknown> {
  return {
    ...(docs.owner === null ? {} : { owner: docs.owner }),
    grain: docs.grain,
    kind: docs.kind,
    version: docs.version,
    ...(docs.deprecationDate === null ? {} : { deprecation_date: docs.deprecationDate }),
    depends_on: docs.parents,
    // Tidemark runs these after each build. They are SQL for its own names of the tables.
    ...(audits.length > 0 ? { audits } : {}),
  };
}

/** Returns the name of the dbt source that stands for a schema of the published file. */
function sourceName(schema: string): string {
  return `tidemark_${schema}`;
}

function renderTest({ kind, name, severity, arguments: own, related }: DbtTest): object {
  const [schema = '', table = ''] = related?.split('.') ?? [];
  const args = { ...own, ...(related === undefined ? {} : { to: `source('${sourceName(schema)}', '${table}')` }) };
  return {
    [kind]: {
      name,
      ...(Object.keys(args).length > 0 ? { arguments: args } : {}),
      ...(severity === 'warn' ? { config: { severity } } : {}),
    },
  };
}

function renderFreshness({ loadedAt, severity, count, period }: DbtFreshness): object {
  return { loaded_at_field: loadedAt, freshness: { [`${severity}_after`]: { count, period } } };
}

/** Returns a text that dbt shows as it is. dbt renders descriptions as templates. */
export function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll(/\{[{%#]/g, (open) => `{{ '${open}' }}`);
}
