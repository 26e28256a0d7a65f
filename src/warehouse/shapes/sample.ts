import { escapeUnseen } from '../../base/text/visible-text.js';
import { memberPath, type Structure } from './compare.js';

const LONGEST = 60;
// If the name of a field matches this pattern, show no sample of it: a field that the reference does not describe may
// be about a person.
const PERSONAL_NAME =
  /person|people|contact|director|executive|employee_|officer|owner|signator|mail|phone|mobile|birth|gender|(first|last|full|middle)_?name/i;

/**
 * Makes a sample of a value: one line of at most 60 characters, with invisible characters escaped.
 * @returns null for arrays, objects and null, and for values that are or may be about a person
 */
export function sampleOf(value: unknown, path: string, personal: boolean): string | null {
  if (personal || value === null || typeof value === 'object' || value === undefined) return null;
  const text = JSON.stringify(value);
  if (PERSONAL_NAME.test(path) || text.includes('@')) return null;
  return escapeUnseen(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/**
 * Finds the first value at a path for which `isWanted` returns true. The path has the format that `compare` writes.
 * Returns undefined if there is no such value.
 */
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

/** Returns the structure of one value, for `compare`. Does not look inside arrays and objects. */
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
