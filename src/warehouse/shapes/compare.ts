import { escapeUnseen } from '../../base/text/visible-text.js';
import type { Shape } from './shape.js';

/**
 * The types of a JSON value and of the values inside it, as DuckDB's `json_structure` describes them:
 * - a string is the name of a type; `JSON` means several different types, or an empty object
 * - an object holds a structure for each field
 * - an array holds one structure, which all its items have in common
 */
export type Structure = string | [Structure] | { [key: string]: Structure };

/**
 * One difference from the declared shape. `type` is the type that was found, or `mixed` if the values at this path have
 * several types.
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

/** Returns the name of the JSON type of a structure. */
export function typeOf(found: Structure): string {
  if (Array.isArray(found)) return 'array';
  if (typeof found === 'object') return 'object';
  return TYPES[found] ?? 'number';
}

/**
 * Appends the name of a field to a path. A plain name is appended unchanged. Any other name is cut to 100 characters,
 * quoted and escaped.
 */
export function memberPath(path: string, name: string): string {
  if (/^[A-Za-z_][\w-]{0,99}$/.test(name)) return `${path}.${name}`;
  const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return `${path}.${escapeUnseen(JSON.stringify(cut))}`;
}

/**
 * Compares the types that were found with the declared shape. Ignores everything inside an undeclared field. Stops
 * after MOST_DEVIATIONS differences.
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
  // `mixed` means several types or an empty object. If the reference declares several types, several types are allowed;
  // ops.rejects lists the wrong values. If the reference declares an object, an empty object is allowed.
  if (type === 'mixed') return types.size > 1 || types.has('object');
  return (types as ReadonlySet<string>).has(type);
}
