import { createHash } from 'node:crypto';
import { readJsonNodes, type JsonNode } from './json-nodes.js';

/**
 * Identifies a company in the planner, due lists, coverage and the warehouse: a BIGINT as decimal digits without
 * leading zeros. The macro `json_id` (sql/macros/json.sql) converts the same text to the same id.
 */
export type CompanyId = string;

/**
 * Why the warehouse cannot hold an id. The reasons in ops.rejects have the same names.
 * - no_id: missing, null or empty
 * - unusable_id: not a whole number, or beyond BIGINT
 * - duplicate_key: the item contains the same JSON key twice
 */
export type IdFault = 'no_id' | 'unusable_id' | 'duplicate_key';

/** An id that the warehouse can hold. Otherwise the fault, and the JSON text that contains the fault. */
export type ReadId = { id: CompanyId } | { fault: IdFault; text: string };

// Range of the warehouse's BIGINT.
const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

/**
 * Converts digits as text to the canonical id (`0007` becomes `7`). Returns null for other text and for numbers beyond
 * BIGINT.
 */
export function canonicalId(text: string): CompanyId | null {
  const digits = text.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '');
  if (!/^-?[0-9]+$/.test(digits)) return null;
  const id = BigInt(digits);
  return SMALLEST <= id && id <= LARGEST ? id.toString() : null;
}

/**
 * Reads the value of an `id`. Accepts a number with a fraction or exponent if a double holds its value exactly: `7.0`,
 * `7e0`. Rejects the text `"7e0"`.
 */
export function readId(value: JsonNode | undefined): ReadId {
  if (value === undefined || value.kind === 'null') return { fault: 'no_id', text: value?.text ?? '' };
  const fault: ReadId = { fault: 'unusable_id', text: value.text };
  if (value.kind === 'string') {
    const id = canonicalId(value.value);
    if (id !== null) return { id };
    return /^[ \t\n\r]*$/.test(value.value) ? { fault: 'no_id', text: value.text } : fault;
  }
  if (value.kind !== 'number') return fault;
  if (/^-?[0-9]+$/.test(value.text)) {
    const id = canonicalId(value.text);
    return id === null ? fault : { id };
  }
  const number = Number(value.text);
  return Number.isSafeInteger(number) ? { id: BigInt(number).toString() } : fault;
}

/** Reads the id of an item of a listing. */
export function readItemId(item: JsonNode): ReadId {
  if (item.kind !== 'object') return { fault: 'no_id', text: item.text };
  if (item.repeats) return { fault: 'duplicate_key', text: item.text };
  const read = readId(item.members.get('id'));
  return 'fault' in read && read.fault === 'no_id' ? { fault: 'no_id', text: item.text } : read;
}

/**
 * Reads the items in a page's list, usually `data`. Returns an empty list if the page has no such list.
 * @throws SyntaxError when the body is not JSON
 */
export function readItems(body: string, list = 'data'): readonly JsonNode[] {
  const page = readJsonNodes(body);
  const data = page.kind === 'object' && !page.repeats ? page.members.get(list) : undefined;
  return data?.kind === 'array' ? data.items : [];
}

// First character of keys for unusable ids. No canonical id begins with this character.
const UNUSABLE = '!';
const LONGEST_SHOWN = 60;

/**
 * Makes one key per item, to count the companies of a page. The key is the id, or a key that `isUsable` rejects. Equal
 * unusable ids give the same key. Items without an id get different keys, from their text and a counter.
 */
export function keysOf(items: readonly JsonNode[]): string[] {
  const times = new Map<string, number>();
  return items.map((item) => {
    const read = readItemId(item);
    if ('id' in read) return read.id;
    const key = `${UNUSABLE}${read.fault} ${shorten(read.text)}`;
    if (read.fault === 'unusable_id') return key;
    const before = times.get(key) ?? 0;
    times.set(key, before + 1);
    return before === 0 ? key : `${key} #${before + 1}`;
  });
}

/** Whether a key made by `keysOf` is an id that the warehouse can hold. */
export function isUsable(key: string): boolean {
  return !key.startsWith(UNUSABLE);
}

/** Returns the fault of an unusable key, and the JSON text as an example. */
export function faultOf(key: string): { fault: IdFault; example: string } {
  const [fault = '', ...rest] = key.slice(UNUSABLE.length).split(' ');
  return { fault: fault as IdFault, example: rest.join(' ') };
}

function shorten(text: string): string {
  if (text.length <= LONGEST_SHOWN) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${text.slice(0, LONGEST_SHOWN)}… (${hash})`;
}
