import { escapeUnseen } from '../../base/text/visible-text.js';

/**
 * The types of a JSON value and of the values inside it, as DuckDB's `json_structure` describes them:
 * - a string is the name of a type; `JSON` means several different types, or an empty object
 * - an object holds a structure for each field
 * - an array holds one structure, which all its items have in common
 */
export type Structure = string | [Structure] | { [key: string]: Structure };

/** Names of the fields that lead to a value. Null stands for the items of an array, and `.*` for any name. */
export type Parts = readonly (string | null)[];

/** A value in a body, with its path in `ops.drift`. `type` is `mixed` if there are several types. */
export interface Node {
  path: string;
  parent: string | null;
  parts: Parts;
  type: string | null;
}

const LONGEST_NAME = 100;
const TYPES: Record<string, string> = { VARCHAR: 'string', BOOLEAN: 'boolean', NULL: 'null', JSON: 'mixed' };

/** Lists the value with a structure, and all values inside it. Null is a structure that is not known. */
export function nodesOf(parts: Parts, structure: Structure | null): Node[] {
  const node = { path: pathOf(parts), parent: parts.length === 0 ? null : pathOf(parts.slice(0, -1)), parts };
  if (structure === null) return [{ ...node, type: null }];
  if (typeof structure === 'string') return [{ ...node, type: TYPES[structure] ?? 'number' }];
  if (Array.isArray(structure))
    return [{ ...node, type: 'array' }, ...(structure[0] === 'NULL' ? [] : nodesOf([...parts, null], structure[0]))];
  const fields = Object.entries(structure).flatMap(([name, inside]) => nodesOf([...parts, name], inside));
  return [{ ...node, type: 'object' }, ...fields];
}

/** Returns the path of a value. A name that is not plain is cut to 100 characters, quoted and escaped. */
function pathOf(parts: Parts): string {
  const steps = parts.map((name) => {
    if (name === null) return '[]';
    if (name === '.*') return name;
    if (/^[A-Za-z_][\w-]{0,99}$/.test(name)) return `.${name}`;
    const cut = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name;
    return `.${escapeUnseen(JSON.stringify(cut))}`;
  });
  return `$${steps.join('')}`;
}
