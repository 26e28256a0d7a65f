import { plainType, type Model } from './models.js';

/** The properties of a table on which queries of readers depend. */
export interface Shape {
  columns: ReadonlyMap<string, string>;
  /** Key columns. Null when unknown, because the stored header cannot be read. */
  key: readonly string[] | null;
  /** Key columns that may be NULL. */
  nullable: readonly string[];
  grain: string | null;
}

/** Effects of a change on readers of a table. Each effect is one phrase. */
export interface Effects {
  /** Changes after which a reader's query may fail or return another result. */
  breaking: string[];
  nonBreaking: string[];
}

/** Returns the shape that the header of a model declares. */
export function declaredShape({
  columns,
  key,
  nullable,
  grain,
}: Pick<Model, 'columns' | 'key' | 'nullable' | 'grain'>): Shape {
  return {
    columns: new Map(Object.entries(columns).map(([name, { type }]) => [name, plainType(type)])),
    key,
    nullable,
    grain,
  };
}

/** Compares two shapes of a table and sorts the differences into breaking and not breaking. */
export function compareShapes(before: Shape, after: Shape): Effects {
  const breaking: string[] = [];
  const nonBreaking: string[] = [];
  for (const [column, type] of before.columns) {
    const now = after.columns.get(column);
    if (now === undefined) breaking.push(`column ${column} is removed`);
    else if (now !== type) breaking.push(`column ${column} was ${type} and is now ${now}`);
  }
  for (const [column, type] of after.columns)
    if (!before.columns.has(column)) nonBreaking.push(`column ${column} ${type} is added`);
  const [was, is] = [before, after].map(({ key }) => key?.toSorted().join(', '));
  if (before.key !== null && was !== is)
    breaking.push(`the key was ${before.key.join(', ')} and is now ${after.key?.join(', ') ?? 'unknown'}`);
  if (before.key !== null)
    for (const column of after.nullable)
      if (before.key.includes(column) && !before.nullable.includes(column))
        breaking.push(`column ${column} of the key was never NULL and may now be NULL`);
  if (before.grain !== null && before.grain !== after.grain)
    breaking.push(`the grain was one row per ${before.grain} and is now one row per ${after.grain}`);
  return { breaking, nonBreaking };
}

/** Returns whether two tables have the same columns in the same order. */
export function sameColumns(left: ReadonlyMap<string, string>, right: ReadonlyMap<string, string>): boolean {
  return JSON.stringify([...left]) === JSON.stringify([...right]);
}
