import { escapeUnseen } from '../core/visible-text.js';
import type { Shape } from './shape.js';

/**
 * Types found in values, merged over the items of arrays, in the format of DuckDB's `json_structure`.
 * - string: the name of a type; `JSON` means several types at once, or an empty object
 * - object: a structure per member
 * - array: the one structure of its items
 */
export type Structure = string | [Structure] | { [key: string]: Structure };

/**
 * One deviation from the declared shape. `type` is the found type, or `mixed` if one place has values of several types.
 */
export interface Deviation {
  path: string;
  kind: 'new field' | 'changed type';
  type: string;
}

/** Result of `compare`. */
export interface Comparison {
  /** Paths of the declared fields and array items that the bodies contain. */
  seen: string[];
  deviations: Deviation[];
}

const LONGEST_NAME = 100;
const MOST_DEVIATIONS = 100;
const TYPES: Record<string, string> = { VARCHAR: 'string', BOOLEAN: 'boolean', NULL: 'null', JSON: 'mixed' };

/** Converts a found structure to the name of its JSON type. */
export function typeOf(found: Structure): string {
  if (Array.isArray(found)) return 'array';
  if (typeof found === 'object') return 'object';
  return TYPES[found] ?? 'number';
}

/**
 * Appends a member's name to a path. A plain name is appended unchanged; other names are quoted, escaped and cut to 100
 * characters.
 */
export function memberPath(path: string, name: string): string {
  if (/^[A-Za-z_][\w-]{0,99}$/.test(name)) return `${path}.${name}`;
  const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return `${path}.${escapeUnseen(JSON.stringify(cut))}`;
}

/**
 * Compares the found types with the declared shape. Ignores everything inside an undeclared field. Stops after 100
 * deviations.
 */
export function compare(declared: Shape | undefined, found: Structure, path: string): Comparison {
  const result: Comparison = { seen: [], deviations: [] };
  visit(declared, found, path, result);
  return result;
}

function visit(declared: Shape | undefined, found: Structure, path: string, result: Comparison): void {
  if (result.deviations.length >= MOST_DEVIATIONS) return;
  const type = typeOf(found);
  if (declared === undefined) {
    result.deviations.push({ path, kind: 'new field', type });
    return;
  }
  result.seen.push(path);
  if (declared.open || type === 'null') return;
  if (!allows(declared, type)) {
    result.deviations.push({ path, kind: 'changed type', type });
    return;
  }
  if (Array.isArray(found)) {
    if (declared.items && found[0] !== 'NULL') visit(declared.items, found[0], `${path}[]`, result);
  } else if (typeof found === 'object') {
    for (const [name, value] of Object.entries(found)) {
      if (declared.values) visit(declared.values, value, `${path}.*`, result);
      else visit(declared.fields?.get(name), value, memberPath(path, name), result);
    }
  }
}

function allows({ types }: Shape, type: string): boolean {
  // `mixed` means several types, or an empty object. Several types match if the reference declares several; ops.rejects
  // then has the wrong values. An empty object matches a declared object.
  if (type === 'mixed') return types.size > 1 || types.has('object');
  return (types as ReadonlySet<string>).has(type);
}
