import { ModelFailedError } from '../../duckdb/errors.js';
import type { ModelFile } from '../model-file.js';
import { namesOfQueries, queriesOf } from '../parents.js';
import type { OwnObject } from './own-object.js';

const WITH_SCHEMA = /^(?:temp|main)\./i;

/** Returns the names of macros and seeds that queries may use: functions and temporary tables, in lower case. */
export async function namesIn(queries: readonly string[]): Promise<Set<string>> {
  const { functions, tables, otherTables } = await namesOfQueries(queries);
  const temporary = [...tables.filter((name) => WITH_SCHEMA.test(name)), ...otherTables];
  return new Set([...functions, ...temporary.map((name) => name.replace(WITH_SCHEMA, '').toLowerCase())]);
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

/** Returns a text that changes if a macro or seed may give other results. */
export function textOfUse(object: OwnObject): string {
  if (object.kind === 'macro') return `macro ${object.sql}`;
  const cells = object.rows.map((row) => row.cells);
  return `seed ${object.name} ${JSON.stringify([[...object.columns], cells])}`;
}
