import { readJsonNodes, repeatsKey, type JsonNode } from '../base/json/json-nodes.js';

/* Values of removed people. After a removal, `tidemark forget` searches all files for these values. */

// Ignore shorter values, because they occur in any file by chance.
export const SHORTEST = 4;
// Ignore shorter numbers: they are no phone numbers, and occur in any file by chance.
const FEWEST_DIGITS = 6;
const LONGEST = 2_000;
// Ignore days: the name of many files is a day.
const DAY = /^\d{4}-\d\d-\d\d$/;

/**
 * Lists the values of a body for which a search makes sense: texts, the parts of texts between HTML tags, full names,
 * and long numbers. Of a text that is no JSON, or repeats a key, lists the texts in quotation marks.
 * @param skipped names of fields whose values are left out
 */
export function valuesOf(body: string, found: Set<string> = new Set(), skipped?: ReadonlySet<string>): Set<string> {
  const node = readNode(body);
  if (node !== undefined) addValues(node, found, skipped);
  if (node === undefined || repeatsKey(node))
    for (const [, text = ''] of body.matchAll(QUOTED)) addValue(unescaped(text), found);
  return found;
}

function readNode(body: string): JsonNode | undefined {
  try {
    return readJsonNodes(body);
  } catch {
    return undefined;
  }
}

// A text in quotation marks that is no name of a field. The last one may be cut off.
const QUOTED = /[:[,]\s*"((?:[^"\\]|\\.)*)(?:"(?!\s*:)|$)/g;

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
}

/** Adds the values of a JSON value to `found`. */
export function addValues(node: JsonNode, found: Set<string>, skipped?: ReadonlySet<string>): void {
  if (node.kind === 'object') {
    for (const [name, member] of node.members) if (!skipped?.has(name)) addValues(member, found, skipped);
    addFullName(node.members, found);
  } else if (node.kind === 'array') for (const item of node.items) addValues(item, found, skipped);
  else if (node.kind === 'number' || node.kind === 'bad') addValue(node.text, found);
  else if (node.kind === 'string') {
    addValue(node.value, found);
    if (node.value.includes('<')) for (const part of node.value.split(/<[^>]*>/)) addValue(part, found);
  }
}

/** Adds the full name: each of its parts may be short, or the name of other people, too. */
function addFullName(members: ReadonlyMap<string, JsonNode>, found: Set<string>): void {
  const [first, last] = [members.get('first_name'), members.get('last_name')];
  if (first?.kind !== 'string' || last?.kind !== 'string') return;
  const names = [first.value.trim(), last.value.trim()];
  if (names.includes('')) return;
  addValue(names.join(' '), found);
  addValue(names.toReversed().join(' '), found);
  addValue(names.toReversed().join(', '), found);
}

/** Adds a text, unless it is too short to search for, or a day. Adds a long text in pieces. */
export function addValue(text: string, found: Set<string>): void {
  const value = text.trim();
  if (isTooShort(value)) return;
  if (value.length <= LONGEST) found.add(value);
  else for (const [piece] of value.matchAll(PIECE)) addValue(piece, found);
}

// A piece of a long text that begins and ends at a space.
const PIECE = /(?<!\S)[\s\S]{1,1000}(?!\S)/g;

function isTooShort(value: string): boolean {
  if (Buffer.byteLength(value) < SHORTEST) return true;
  if (DAY.test(value)) return true;
  return /^[-+.\d]+$/.test(value) && value.replaceAll(/\D/g, '').length < FEWEST_DIGITS;
}

/** Lists the texts and numbers of a body that are too short to search for, and the days. Empty if the body is no JSON. */
export function shortValuesOf(body: string): Set<string> {
  const found = new Set<string>();
  const visit = (node: JsonNode): void => {
    if (node.kind === 'object') for (const member of node.members.values()) visit(member);
    else if (node.kind === 'array') for (const item of node.items) visit(item);
    else if (node.kind === 'string' || node.kind === 'number') {
      const value = (node.kind === 'string' ? node.value : node.text).trim();
      if (value !== '' && isTooShort(value)) found.add(value);
    }
  };
  const node = readNode(body);
  if (node !== undefined) visit(node);
  return found;
}

/**
 * Whether a value is an e-mail address, a link or a phone number. Two people rarely have the same one. A number without
 * a sign or a space may be an id; a day is none of these.
 */
export function isAddress(value: string): boolean {
  if (/[^\s@]@[^\s@]|:\/\//.test(value)) return true;
  if (/^-?\d+(\.\d+)?$|^\d{4}-\d\d-\d\d/.test(value)) return false;
  return /^\+?[\d\s()./-]+$/.test(value) && value.replaceAll(/\D/g, '').length >= FEWEST_DIGITS;
}

/** Adds the phone numbers of a JSON value, as far as the names of fields show them. */
export function addPhones(node: JsonNode, found: Set<string>, isPhone = false): void {
  if (node.kind === 'object')
    for (const [name, member] of node.members) addPhones(member, found, isPhone || /phone|mobile|fax|^tel/i.test(name));
  else if (node.kind === 'array') for (const item of node.items) addPhones(item, found, isPhone);
  else if (isPhone && (node.kind === 'string' || node.kind === 'number')) {
    addValue(node.kind === 'string' ? node.value : node.text, found);
  }
}
