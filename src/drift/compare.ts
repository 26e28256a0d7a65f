import { escapeUnseen } from '../core/visible-text.js';
import type { Shape } from './shape.js';

/**
 * The types found in some value, merged over the items of its arrays, as DuckDB's `json_structure` tells them: a type's
 * name, an object of structures, or an array of one. `JSON` stands for several types at once, and for an empty object.
 */
export type Structure = string | [Structure] | { [key: string]: Structure };

/** What is not as declared. `type`: what came instead, `mixed` for several types in one place. */
export interface Deviation {
  path: string;
  kind: 'new field' | 'changed type';
  type: string;
}

export interface Comparison {
  /** Paths of declared fields, and of array items, that are there. */
  seen: string[];
  deviations: Deviation[];
}

const LONGEST_NAME = 100;
const MOST_DEVIATIONS = 100;
const TYPES: Record<string, string> = { VARCHAR: 'string', BOOLEAN: 'boolean', NULL: 'null', JSON: 'mixed' };

/** Type of a found structure, in the words of JSON. */
export function typeOf(found: Structure): string {
  if (Array.isArray(found)) return 'array';
  if (typeof found === 'object') return 'object';
  return TYPES[found] ?? 'number';
}

/** A member's path: a plain name as it is, any other quoted, without what cannot be seen and not longer than is of use. */
export function memberPath(path: string, name: string): string {
  if (/^[A-Za-z_][\w-]{0,99}$/.test(name)) return `${path}.${name}`;
  const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
  return `${path}.${escapeUnseen(JSON.stringify(cut))}`;
}

/** Holds what was found against what is declared. Below what is not declared nothing is looked at. */
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
  // Several types where several are allowed, or an empty object where one is: the rows that are wrong are in ops.rejects.
  if (type === 'mixed') return types.size > 1 || types.has('object');
  return (types as ReadonlySet<string>).has(type);
}
