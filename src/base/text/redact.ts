import { escapeHtml } from './escape-html.js';
import { quickSearch } from './quick-search.js';
import { unescapeText, unescapeWithPlaces, type Dialect } from './unescape.js';

const MARK = '[redacted]';

/**
 * API keys shorter than this are demo keys, such as "demo". They are not removed from data, because the same letters
 * may be part of other words. They are removed from errors.
 */
const MIN_LENGTH_IN_DATA = 12;

/** Shortest encoding (hex or base64) to search for, in characters. Shorter ones would also match unrelated text. */
const MIN_ENCODED = 8;

/**
 * Long texts are searched in pieces, to limit memory. The pieces overlap, so that a secret at the end of a piece is
 * found.
 */
const WINDOW = 1 << 20;
const OVERLAP = 1 << 16;

/** Whether an API key is so short that it counts as a demo key, not as a secret. */
export function isRehearsalKey(secret: string): boolean {
  return secret.length < MIN_LENGTH_IN_DATA;
}

/** Replaces one secret in texts by `[redacted]`. */
export interface Redactor {
  /** Redacts text that people read: errors and logs. */
  text(text: string): string;
  /** Redacts data: bodies and request keys. Works like `text`, but does not remove demo keys. */
  data(text: string): string;
}

/**
 * Creates functions that remove a secret from text. They find
 * - the plain secret
 * - the secret with escapes of JSON, JavaScript, CSS, URLs, HTML and quoted-printable
 * - its hex and base64 encodings, also wrapped over several lines
 * - mixtures of these
 */
export function createRedactor(secret: string): Redactor {
  if (secret === '') return { text: (text) => text, data: (text) => text };
  const squeezed = !isRehearsalKey(secret);
  const [search, printableSearch] = [false, true].map((quotedPrintable) =>
    searchFor(secret, { quotedPrintable, squeezed }),
  ) as [Search, Search];
  const searches = [search, printableSearch];
  const text = (said: string): string => {
    if (isClean(said, search, printableSearch) && !said.includes(secret)) return said;
    const found = searches.reduce(redactBy, said);
    // Also search for the plain secret: the searches above read a backslash before the secret `nabc` as `\n`, and find
    // only `abc`.
    return found.includes(secret) ? found.replaceAll(secret, MARK) : found;
  };
  return { text, data: squeezed ? text : (said) => said };
}

/** How to search a text for the secret. */
interface Search {
  dialect: Dialect;
  /** Returns false only if `find` finds nothing. Much faster than `find`. */
  mayFind: (unescaped: string) => boolean;
  /** Returns the ranges in which an unescaped text contains the secret. */
  find: (unescaped: string) => [from: number, to: number][];
}

function searchFor(secret: string, dialect: Dialect): Search {
  const bare = unescapeText(secret, dialect).replace(/\\+$/, '');
  // If the secret itself contains escapes, it becomes shorter when it is unescaped. Do not search for a very short
  // text.
  const plain = bare.length >= Math.min(secret.length, MIN_ENCODED) ? [bare] : [];
  const exact = blocksOf(secret);
  const anyCase = new RegExp(
    plain
      .map((text) =>
        text.replaceAll(/[^A-Za-z0-9]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`),
      )
      .join('|'),
    'gi',
  );
  const find: Search['find'] = (unescaped) => [
    ...(plain.length === 0
      ? []
      : [...unescaped.matchAll(anyCase)].map(({ index, 0: found }): [number, number] => [index, index + found.length])),
    ...exact.flatMap((needle) => placesOf(unescaped, needle)),
  ];
  return { dialect, find, mayFind: quickSearch([...plain, ...exact]) };
}

function placesOf(text: string, needle: string): [number, number][] {
  const places: [number, number][] = [];
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + needle.length))
    places.push([at, at + needle.length]);
  return places;
}

/**
 * Returns true only for texts in which neither search finds anything. Almost all texts are clean, and this is much
 * faster than the searches.
 */
function isClean(text: string, search: Search, printableSearch: Search): boolean {
  if (text.length > WINDOW) return false;
  const plain = unescapeText(text, search.dialect);
  if (search.mayFind(plain)) return false;
  // No pass removes an equals sign. So without one, nothing in the text is quoted-printable.
  return !plain.includes('=') || !printableSearch.mayFind(unescapeText(text, printableSearch.dialect));
}

function redactBy(text: string, { dialect, find }: Search): string {
  if (dialect.quotedPrintable && !/=(?:[0-9A-Fa-f]{2}|[ \t]{0,8}\r?\n)|[\\%&]/.test(text)) return text;
  const spans: [from: number, to: number][] = [];
  for (let at = 0; at < text.length; at += WINDOW) {
    const part = text.slice(at, at + WINDOW + OVERLAP);
    if (find(unescapeText(part, dialect)).length === 0) continue;
    const { text: unescaped, starts, ends } = unescapeWithPlaces(part, dialect);
    for (const [from, to] of find(unescaped)) spans.push([at + (starts[from] ?? 0), at + (ends[to - 1] ?? 0)]);
  }
  if (spans.length === 0) return text;
  let out = '';
  let at = 0;
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    if (from >= at) out += text.slice(at, from) + MARK;
    at = Math.max(at, to);
  }
  return out + text.slice(at);
}

/**
 * Returns the encodings of the secret in hex and base64, encoded once and twice. Also encodes the secret with escapes.
 */
function blocksOf(secret: string): string[] {
  const once = spellingsOf(secret).flatMap(encodingsOf);
  const twice = encodingsOf(secret).flatMap(encodingsOf);
  return [...new Set([...once, ...twice])];
}

/** Returns the secret as plain text and with the escapes of JSON, URLs, forms and HTML. */
function spellingsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  return [...new Set([secret, json, json.replaceAll('/', String.raw`\/`), url, form, escapeHtml(secret)])];
}

/**
 * Encodes a text in hex, and three times in base64. In base64, the letters of a secret depend on how many bytes come
 * before it, as in `Token <key>`. Three offsets cover all cases.
 */
function encodingsOf(text: string): string[] {
  const hex = hexOf(text);
  const base64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text)]);
    // Cut off a first or last letter that also contains bits of a neighbouring byte.
    return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
  const forUrls = base64.map((letters) => letters.replaceAll('+', '-').replaceAll('/', '_'));
  return [hex, hex.toUpperCase(), ...base64, ...forUrls].filter((encoded) => encoded.length >= MIN_ENCODED);
}

function hexOf(text: string): string {
  return Buffer.from(text).toString('hex');
}
