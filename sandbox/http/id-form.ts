import type { SandboxOptions } from '../options.js';
import { isObject } from './validate.js';

/**
 * Keys that hold a list in an answer. IDS are the keys that hold an id of a company or person. Ids are at the top level
 * of an answer and in the rows of its lists.
 */
const LISTS = ['data', 'list'];
const IDS = ['id', 'company_id'];

/** Returns the answer with all ids as numbers or all as text. The option `ids` decides which. */
export function withIds(payload: unknown, form: SandboxOptions['ids']): unknown {
  if (form === 'documented' || !isObject(payload)) return payload;
  const changed = formed(payload, form);
  for (const list of LISTS) {
    const rows = changed[list];
    if (Array.isArray(rows)) changed[list] = rows.map((row: unknown) => (isObject(row) ? formed(row, form) : row));
  }
  return changed;
}

function formed(record: Record<string, unknown>, form: 'number' | 'text'): Record<string, unknown> {
  const out = { ...record };
  for (const key of IDS) {
    const id = out[key];
    if (form === 'text' && typeof id === 'number') out[key] = String(id);
    if (form === 'number' && typeof id === 'string' && /^\d+$/.test(id)) out[key] = Number(id);
  }
  return out;
}
