import { ModelFailedError } from '../../duckdb/errors.js';
import type { SqlFile } from '../../duckdb/sql-files.js';
import type { ModelFile } from '../model-file.js';
import { namesOfQueries, queriesOf } from '../parents.js';
import type { OwnObject } from './own-object.js';

const WITH_SCHEMA = /^(?:temp|main)\./i;

/** Returns the names of macros and seeds that queries may use: functions and temporary tables, in lower case. */
export async function namesIn(queries: readonly string[]): Promise<Set<string>> {
  const parsed = await namesOfQueries(queries);
  return new Set(
    parsed.flatMap(({ functions, tables, otherTables }) => {
      const temporary = [...tables.filter((name) => WITH_SCHEMA.test(name)), ...otherTables];
      return [...functions, ...temporary.map((name) => name.replace(WITH_SCHEMA, '').toLowerCase())];
    }),
  );
}

/**
 * Selects the macros and seeds that queries use, directly or through other macros. Keeps their order.
 * @param names Names in the queries
 */
export function selectUsed(names: ReadonlySet<string>, objects: readonly OwnObject[]): OwnObject[] {
  const used = new Set<string>();
  const use = (name: string): void => {
    const object = objects.find((one) => one.name === name);
    if (object === undefined || used.has(name)) return;
    used.add(name);
    if (object.kind === 'macro') object.names.forEach(use);
  };
  names.forEach(use);
  return objects.filter(({ name }) => used.has(name));
}

/**
 * Finds the own macros and seeds that each model uses in its queries and audits.
 * @throws ModelFailedError when a view uses one. The view would stay in the warehouse, and the macro would not
 */
export async function findUses<M extends ModelFile>(
  models: readonly M[],
  objects: readonly OwnObject[],
): Promise<(M & { uses?: readonly OwnObject[] })[]> {
  if (objects.length === 0) return [...models];
  const found: (M & { uses?: readonly OwnObject[] })[] = [];
  for (const model of models) {
    const uses = selectUsed(await namesIn(queriesOf(model)), objects);
    const [used] = uses;
    if (used !== undefined && model.kind === 'view')
      throw new ModelFailedError(
        `${model.path} is a view and uses the ${used.kind} ${used.name} of ${used.path}.`,
        'Write `kind: table` in its header: a view stays in the warehouse, but macros and seeds exist only during a build.',
      );
    found.push(uses.length === 0 ? model : { ...model, uses });
  }
  return found;
}

// Temporary tables of every build, besides the shipped seeds.
const BUILT_IN = ['seed_fields'];

/**
 * Checks that each seed that a model reads has a file.
 * @throws ModelFailedError with the model and the name of the missing file
 */
export async function requireSeeds(
  models: readonly ModelFile[],
  { shared, own }: { shared: readonly SqlFile[]; own: readonly SqlFile[] },
): Promise<void> {
  const tables = [...shared, ...own].map(({ name }) => /([^/]*)\.csv$/.exec(name)?.[1]).map((stem) => `seed_${stem}`);
  const known = new Set([...tables, ...BUILT_IN]);
  for (const model of models) {
    const missing = [...(await namesIn(queriesOf(model)))].find((name) => /^seed_\w+$/.test(name) && !known.has(name));
    if (missing === undefined) continue;
    const file = `seeds/${missing.slice('seed_'.length)}.csv`;
    throw new ModelFailedError(
      `${model.path} reads ${missing}, but there is no ${file}.`,
      `Add ${file} to the folder that \`models\` in tidemark.yaml names, or correct the model.`,
    );
  }
}

/** Returns a text that changes if a macro or seed may give other results. */
export function textOfUse(object: OwnObject): string {
  if (object.kind === 'macro') return `macro ${object.sql}`;
  const cells = object.rows.map((row) => row.cells);
  return `seed ${object.name} ${JSON.stringify([[...object.columns], cells])}`;
}
