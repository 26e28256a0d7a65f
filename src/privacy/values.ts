import { escapeHtml } from '../core/escape-html.js';
import { readJsonNodes, type JsonNode } from '../core/json-nodes.js';

/* Values of removed people. After a removal, `tidemark forget` searches all files for these values. */

// Ignore shorter values, because they occur in any file by chance.
const SHORTEST = 4;
// Ignore shorter numbers: they are no phone numbers, and occur in any file by chance.
const FEWEST_DIGITS = 6;
const LONGEST = 2_000;

/**
 * Lists the values of a body for which a search makes sense: texts, the parts of texts between HTML tags, and long
 * numbers. Returns none for a body that is no JSON.
 */
export function valuesOf(body: string, found: Set<string> = new Set()): Set<string> {
  try {
    addValues(readJsonNodes(body), found);
  } catch {}
  return found;
}

/** Adds the values of a JSON value to `found`. */
export function addValues(node: JsonNode, found: Set<string>): void {
  if (node.kind === 'object') for (const member of node.members.values()) addValues(member, found);
  else if (node.kind === 'array') for (const item of node.items) addValues(item, found);
  else if (node.kind === 'number' || node.kind === 'bad') addValue(node.text, found);
  else if (node.kind === 'string') {
    addValue(node.value, found);
    if (node.value.includes('<')) for (const part of node.value.split(/<[^>]*>/)) addValue(part, found);
  }
}

/** Adds a text, unless it is too short to search for. */
export function addValue(text: string, found: Set<string>): void {
  const value = text.trim();
  if (Buffer.byteLength(value) < SHORTEST || value.length > LONGEST) return;
  if (/^[-+.\d]+$/.test(value) && value.replaceAll(/\D/g, '').length < FEWEST_DIGITS) return;
  found.add(value);
}

/** Whether a value is an e-mail address, a link or a long number. Two people rarely have the same one. */
export function isAddress(value: string): boolean {
  return /@|:\/\//.test(value) || value.replaceAll(/\D/g, '').length >= FEWEST_DIGITS;
}

interface Needle {
  bytes: Buffer;
  value: string;
}

const BITS = 1 << 22;

/**
 * Searches bytes for many values in one pass. Finds only whole words. `formsOf` lists the forms in which a value is
 * found.
 */
export class ValueFinder {
  readonly #byStart = new Map<number, Needle[]>();
  readonly #starts = new Uint8Array(BITS / 8);
  /** Length of the longest form, in bytes. */
  readonly longest: number;

  constructor(values: Iterable<string>) {
    let longest = 0;
    for (const value of values) {
      for (const form of formsOf(value)) {
        const bytes = Buffer.from(form);
        if (bytes.length < SHORTEST) continue;
        longest = Math.max(longest, bytes.length);
        const start = bytes.readUInt32BE(0);
        this.#byStart.set(start, [...(this.#byStart.get(start) ?? []), { bytes, value }]);
        const bit = bitOf(start);
        this.#starts[bit >> 3] = (this.#starts[bit >> 3] ?? 0) | (1 << (bit & 7));
      }
    }
    this.longest = longest;
  }

  /** Adds the values found in the bytes to `found`. */
  find(bytes: Buffer, found: Set<string>): void {
    if (this.#byStart.size === 0) return;
    let start = 0;
    for (let at = 0; at < bytes.length; at++) {
      start = ((start << 8) | (bytes[at] as number)) >>> 0;
      const bit = bitOf(start);
      if (at < 3 || ((this.#starts[bit >> 3] as number) & (1 << (bit & 7))) === 0) continue;
      for (const needle of this.#byStart.get(start) ?? []) {
        if (!found.has(needle.value) && isAt(bytes, at - 3, needle.bytes)) found.add(needle.value);
      }
    }
  }

  /** Whether any value is in the text. */
  isIn(text: string): boolean {
    const found = new Set<string>();
    this.find(Buffer.from(text), found);
    return found.size > 0;
  }
}

function bitOf(start: number): number {
  return (Math.imul(start, 0x9e3779b1) >>> 10) & (BITS - 1);
}

function isAt(bytes: Buffer, at: number, needle: Buffer): boolean {
  const end = at + needle.length;
  if (end > bytes.length || bytes.compare(needle, 0, needle.length, at, end) !== 0) return false;
  const isWordStart = !isLetter(bytes[at - 1]) || !isLetter(needle[0]) || bytes[at - 2] === 0x5c;
  return isWordStart && (!isLetter(bytes[end]) || !isLetter(needle.at(-1)));
}

/** Whether a byte is an ASCII letter or digit, or belongs to a character that is not ASCII. */
function isLetter(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | 0x20;
  return byte >= 0x80 || (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x7a);
}

/**
 * Returns the forms in which files may contain a value: plain, as JSON, as JSON with ASCII characters only, and with
 * HTML entities.
 */
function formsOf(value: string): Set<string> {
  const json = JSON.stringify(value).slice(1, -1);
  const ascii = json.replaceAll(/[^\x20-\x7e]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  // The reports of Tidemark escape an apostrophe. Other programs may leave it unescaped.
  const html = escapeHtml(value);
  return new Set([value, json, json.replaceAll('/', '\\/'), ascii, html, html.replaceAll('&#39;', "'")]);
}
