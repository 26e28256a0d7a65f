import { escapeUnseen } from '../core/visible-text.js';
import { memberPath, type Structure } from './compare.js';

const LONGEST = 60;
// A field nobody has described yet may be about a person all the same: names that say so are believed.
const PERSONAL_NAME =
  /person|people|contact|director|executive|employee_|officer|owner|signator|mail|phone|mobile|birth|gender|(first|last|full|middle)_?name/i;

/**
 * A value as an example of what came: short, on one line, without what cannot be seen. Null for arrays and objects, and
 * for what is, or looks like being, about a person.
 */
export function sampleOf(value: unknown, path: string, personal: boolean): string | null {
  if (personal || value === null || typeof value === 'object' || value === undefined) return null;
  const text = JSON.stringify(value);
  if (PERSONAL_NAME.test(path) || text.includes('@')) return null;
  return escapeUnseen(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/** The first value at a path of `compare` in a body that is asked for; undefined where there is none. */
export function valueAt(body: unknown, path: string, isWanted: (value: unknown) => boolean, at = '$'): unknown {
  if (path === at) return isWanted(body) ? body : undefined;
  if (!path.startsWith(at)) return undefined;
  if (Array.isArray(body)) return firstOf(body, (item) => valueAt(item, path, isWanted, `${at}[]`));
  if (typeof body !== 'object' || body === null) return undefined;
  const members = Object.entries(body);
  return (
    firstOf(members, ([name, value]) => valueAt(value, path, isWanted, memberPath(at, name))) ??
    firstOf(members, ([, value]) => valueAt(value, path, isWanted, `${at}.*`))
  );
}

/** The type of one value, as `compare` takes it; what is inside does not count. */
export function structureOf(value: unknown): Structure {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return ['NULL'];
  if (typeof value === 'object') return {};
  return { string: 'VARCHAR', boolean: 'BOOLEAN' }[typeof value as string] ?? 'DOUBLE';
}

function firstOf<T>(items: T[], find: (item: T) => unknown): unknown {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
