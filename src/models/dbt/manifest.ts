import { createHash } from 'node:crypto';
import type { TableDocs } from '../docs.js';
import type { Model } from '../models.js';
import type { OwnObject } from '../own/own-object.js';
import { macroNode, ownId, seedNode } from './own-nodes.js';
import { DATABASE, metaOf } from './sources.js';
import { checksOf, type DbtTest } from './tests.js';

const PACKAGE = 'tidemark';

/**
 * Describes the models as a manifest of dbt (version 12): tables, columns, owners, tags, tests, own macros and seeds,
 * and which model reads which. Tools that read manifests need no dbt project for it.
 * @param models Models in build order
 * @param tables Result of `describeTables` for these models
 */
export function renderManifest(
  models: readonly Model[],
  tables: readonly TableDocs[],
  { now, version }: { now: Date; version: string },
): string {
  const texts = new Map(models.map(({ model, sql }) => [model, sql]));
  const own = [...new Map(models.flatMap(({ uses = [] }) => uses).map((one) => [one.name, one])).values()];
  const macros = own.flatMap((one) => (one.kind === 'macro' ? [macroNode(one, own, PACKAGE)] : []));
  const seeds = own.flatMap((one) => (one.kind === 'seed' ? [seedNode(one, PACKAGE)] : []));
  const nodes = tables.flatMap((docs) => {
    const { tests, others } = checksOf(docs);
    return [
      modelNode(docs, texts.get(docs.table) ?? ''),
      ...tests.map((test) => genericTest(docs, test)),
      ...others.map(({ name, severity, sql }) =>
        testNode(docs, { name: `${flat(docs.table)}_${name}`, severity }, sql),
      ),
    ];
  });
  const manifest = {
    metadata: {
      dbt_schema_version: 'https://schemas.getdbt.com/dbt/manifest/v12.json',
      // No dbt made this file.
      dbt_version: '0.0.0',
      generated_at: now.toISOString(),
      env: { tidemark_version: version },
      project_name: PACKAGE,
      adapter_type: 'duckdb',
    },
    nodes: Object.fromEntries([...seeds, ...nodes].map((node) => [node.unique_id, node])),
    macros: Object.fromEntries(macros.map((macro) => [macro.unique_id, macro])),
    ...Object.fromEntries(EMPTY.map((kind) => [kind, {}])),
    parent_map: Object.fromEntries([
      ...seeds.map(({ unique_id: id }) => [id, []]),
      ...nodes.map(({ unique_id: id, depends_on: { nodes: parents } }) => [id, parents]),
    ]),
    child_map: Object.fromEntries(
      [...seeds, ...nodes].map(({ unique_id: id }) => [
        id,
        nodes.filter(({ depends_on: { nodes: parents } }) => parents.includes(id)).map((child) => child.unique_id),
      ]),
    ),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** Kinds of resources that Tidemark has none of. */
const EMPTY = [
  'sources',
  'docs',
  'exposures',
  'metrics',
  'groups',
  'selectors',
  'disabled',
  'group_map',
  'saved_queries',
  'semantic_models',
  'unit_tests',
  'functions',
];

interface Node {
  unique_id: string;
  depends_on: { macros: string[]; nodes: string[] };
  [field: string]: unknown;
}

function modelNode(docs: TableDocs, sql: string): Node {
  const [schema = '', alias = ''] = docs.table.split('.');
  const meta = metaOf(docs, []);
  const used = (kind: OwnObject['kind']) => docs.uses.filter((one) => one.kind === kind);
  return {
    ...nodeOf(docs, { id: modelId(docs.table), name: flat(docs.table), kind: 'model', sql }),
    database: DATABASE,
    schema,
    alias,
    relation_name: `"${DATABASE}"."${schema}"."${alias}"`,
    config: {
      enabled: true,
      materialized: docs.kind,
      database: DATABASE,
      schema,
      alias,
      tags: docs.tags,
      meta,
      unique_key: docs.key,
    },
    description: docs.description,
    columns: Object.fromEntries(
      docs.columns.map(({ name, type, comment }) => [
        name,
        { name, description: comment, data_type: type, meta: {}, constraints: [], tags: [] },
      ]),
    ),
    tags: docs.tags,
    meta,
    refs: [...docs.parents.map(flat), ...used('seed').map(({ name }) => name)].map((name) => ({ name })),
    depends_on: {
      macros: used('macro').map((one) => ownId(one, PACKAGE)),
      nodes: [...docs.parents.map(modelId), ...used('seed').map((one) => ownId(one, PACKAGE))],
    },
    primary_key: docs.key,
    ...(docs.deprecationDate === null ? {} : { deprecation_date: `${docs.deprecationDate}T00:00:00+00:00` }),
  };
}

function genericTest(docs: TableDocs, test: DbtTest): Node {
  const { kind, column, arguments: args, related } = test;
  const kwargs = {
    ...(column === null ? {} : { column_name: column }),
    ...args,
    ...(related === undefined ? {} : { to: `ref('${flat(related)}')` }),
    model: `{{ get_where_subquery(ref('${flat(docs.table)}')) }}`,
  };
  const sql = `{{ test_${kind}(**_dbt_generic_test_kwargs) }}`;
  const node = testNode(docs, test, sql, related === undefined ? [] : [related]);
  return {
    ...node,
    test_metadata: { name: kind, kwargs, namespace: null },
    column_name: column,
    attached_node: modelId(docs.table),
  };
}

/** @param others Further tables that the test reads */
function testNode(
  docs: TableDocs,
  { name, severity }: Pick<DbtTest, 'name' | 'severity'>,
  sql: string,
  others: string[] = [],
): Node {
  const [schema = ''] = docs.table.split('.');
  const read = [docs.table, ...others];
  return {
    ...nodeOf(docs, { id: `test.${PACKAGE}.${name}`, name, kind: 'test', sql }),
    database: DATABASE,
    schema,
    alias: name,
    config: { enabled: true, materialized: 'test', severity: severity.toUpperCase(), tags: [], meta: {} },
    refs: read.map((table) => ({ name: flat(table) })),
    depends_on: { macros: [], nodes: read.map(modelId) },
  };
}

/** Fields that all nodes have. */
function nodeOf(
  docs: TableDocs,
  { id, name, kind, sql }: { id: string; name: string; kind: 'model' | 'test'; sql: string },
): Pick<Node, 'unique_id'> & Record<string, unknown> {
  const [schema = ''] = docs.table.split('.');
  return {
    unique_id: id,
    name,
    resource_type: kind,
    package_name: PACKAGE,
    path: docs.path.replace(/^sql\//, ''),
    original_file_path: docs.path,
    fqn: [PACKAGE, schema, name],
    checksum: { name: 'sha256', checksum: createHash('sha256').update(sql).digest('hex') },
    language: 'sql',
    raw_code: sql,
  };
}

/** Name in dbt, where names of models are unique in a project: `core.companies` and `marts.companies` both exist. */
function flat(table: string): string {
  return table.replace('.', '_');
}

function modelId(table: string): string {
  return `model.${PACKAGE}.${flat(table)}`;
}
