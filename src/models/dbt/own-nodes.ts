import type { Macro, OwnObject, Seed } from '../own/own-object.js';

/** A macro or seed of the user's own folder, as a manifest of dbt describes it. */
export interface OwnNode {
  unique_id: string;
  resource_type: 'macro' | 'seed';
  depends_on: { macros: string[] };
  [field: string]: unknown;
}

/** Returns the id of a macro or seed in a manifest. */
export function ownId({ kind, name }: Pick<OwnObject, 'kind' | 'name'>, project: string): string {
  return `${kind}.${project}.${name}`;
}

/** Describes a seed. It has no relation, because the published file does not contain it. */
export function seedNode(seed: Seed, project: string): OwnNode {
  const columns = [...seed.columns];
  return {
    ...common(seed, project),
    resource_type: 'seed',
    depends_on: { macros: [] },
    database: null,
    schema: 'main',
    alias: seed.name,
    relation_name: null,
    fqn: [project, 'seeds', seed.name],
    checksum: { name: 'none', checksum: '' },
    config: { enabled: true, materialized: 'seed', column_types: Object.fromEntries(columns) },
    columns: Object.fromEntries(
      columns.map(([name, type]) => [
        name,
        { name, description: '', data_type: type, meta: {}, constraints: [], tags: [] },
      ]),
    ),
    raw_code: '',
  };
}

/** Describes a macro with the statement that creates it. dbt cannot call it: it is no Jinja template. */
export function macroNode(macro: Macro, objects: readonly OwnObject[], project: string): OwnNode {
  const called = objects.filter(({ kind, name }) => kind === 'macro' && macro.names.has(name));
  return {
    ...common(macro, project),
    resource_type: 'macro',
    depends_on: { macros: called.map((one) => ownId(one, project)) },
    macro_sql: macro.sql,
  };
}

function common(object: OwnObject, project: string) {
  return {
    unique_id: ownId(object, project),
    name: object.name,
    package_name: project,
    path: object.file.replace(/^own\//, ''),
    original_file_path: object.path,
  };
}
