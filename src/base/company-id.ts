import { createHash } from 'node:crypto';
import { itemsOf, readJsonNodes, type JsonNode } from './json/json-nodes.js';

/**
 * Id of a company in the planner, due lists, coverage and the warehouse. The text holds a BIGINT as decimal digits
 * without leading zeros. The SQL macro `json_id` (sql/macros/json.sql) converts a received id in the same way.
 */
export type CompanyId = string;

/**
 * Says why the warehouse cannot hold an id. The table ops.rejects has the same names as reasons.
 * - no_id: missing, null or empty
 * - unusable_id: not a whole number, or beyond BIGINT
 * - duplicate_key: the item contains the same JSON key twice
 */
export type IdFault = 'no_id' | 'unusable_id' | 'duplicate_key';

/** An id that the warehouse can hold, or else the fault and the JSON text with the fault. */
export type ReadId = { id: CompanyId } | { fault: IdFault; text: string };

// Range of the warehouse's BIGINT.
const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

/**
 * Converts a text of digits to an id without leading zeros (`0007` becomes `7`). Returns null if the text is not a
 * whole number, or if the number is beyond BIGINT.
 */
export function canonicalId(text: string): CompanyId | null {
  const digits = text.replace(/^[ \t\n\r]+|[ \t\n\r]+$/g, '');
  if (!/^-?[0-9]+$/.test(digits)) return null;
  const id = BigInt(digits);
  return SMALLEST <= id && id <= LARGEST ? id.toString() : null;
}

/**
 * Reads the id from the value of the field `id`. Accepts a number such as `7.0` or `7e0` if it is a whole number that a
 * double holds exactly. Rejects the text `"7e0"`.
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
 * Returns the items of a list in a page; the list is usually `data`. Returns an empty array if the page has no such
 * list.
 * @throws JsonError when the body is not JSON
 */
export function readItems(body: string, list = 'data'): readonly JsonNode[] {
  const page = readJsonNodes(body);
  const data = page.kind === 'object' && !page.repeats ? page.members.get(list) : undefined;
  return itemsOf(data) ?? [];
}

// Keys for unusable ids begin with this character. No id begins with it.
const UNUSABLE = '!';
const LONGEST_SHOWN = 60;

/**
 * Makes a key for each item, to count the companies of a page. For a usable id, the key is the id itself. Other keys
 * begin with `!`, so that `isUsable` can recognise them. Equal unusable ids have the same key. The key of an item
 * without an id is made from the item's text. A counter makes the keys of equal items differ.
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

/** Returns the fault that an unusable key names, and the start of the JSON text as an example. */
export function faultOf(key: string): { fault: IdFault; example: string } {
  const [fault = '', ...rest] = key.slice(UNUSABLE.length).split(' ');
  return { fault: fault as IdFault, example: rest.join(' ') };
}

function shorten(text: string): string {
  if (text.length <= LONGEST_SHOWN) return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `${text.slice(0, LONGEST_SHOWN)}… (${hash})`;
}
