import { formatCount } from '../../../schemas/format.js';

/*
 * Bounds of every body that Tidemark accepts: answers of the API, webhook deliveries, landed rows. Real answers stay far
 * below them: they nest ten levels at most, and a report of 60 years with 500 indicators each has 30,000 values. Beyond a
 * bound, the body becomes a reject. Without bounds, a small body could need gigabytes of memory. A few kilobytes of
 * brackets would even end the process: they overflow the stack of DuckDB and of recursive functions.
 */
export const BOUNDS = {
  /** Size of a body, also after decompression. The client and the load check it. */
  bytes: 32 * 2 ** 20,
  /** Levels of arrays and objects. */
  depth: 100,
  /** All members of objects and items of arrays together. */
  values: 250_000,
  /** Members of one object. */
  keys: 20_000,
  /** Items of one array. */
  items: 100_000,
  /** Characters of one text, key or number, as written in the body. */
  text: 16 * 2 ** 20,
  /** Years of a report by years: 1800 to 2199. */
  years: 400,
  /** Values that JSON does not allow, such as NaN. */
  badValues: 1_000,
  /** Bytes of a body times its values, where the load lists every value of the body with its path. */
  tree: 2 ** 28,
} as const;

export type Bounds = Readonly<Record<keyof typeof BOUNDS, number>>;

/** For each reason of a reject, the end of a sentence about the body. */
const WORDS = {
  too_deep: `nests deeper than ${BOUNDS.depth} levels`,
  too_many_values: `has more than ${formatCount(BOUNDS.values)} values`,
  too_many_keys: `has an object with more than ${formatCount(BOUNDS.keys)} keys`,
  too_many_items: `has a list with more than ${formatCount(BOUNDS.items)} items`,
  too_long_text: `has a text longer than ${formatCount(BOUNDS.text)} characters`,
} as const;

/** Reason of the reject of a body beyond a bound. */
export type Excess = keyof typeof WORDS;

/** A JSON text exceeds a bound. The message ends a sentence about the body. */
export class ExcessError extends Error {
  constructor(readonly excess: Excess) {
    super(WORDS[excess]);
    this.name = 'ExcessError';
  }
}

/**
 * Longest text of which a count of brackets says enough: with at most BOUNDS.depth, it exceeds no bound. The macro json_may_exceed
 * says the same.
 */
const SMALL = 2 ** 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** The signs `{` and `}`. */
const OPEN = 0x7b;
const CLOSE = 0x7d;

/**
 * Finds the first bound that a JSON text exceeds; null if it exceeds none. Reads the text once, without recursion. Does
 * not check that the text is valid JSON.
 */
export function findExcess(json: string): Excess | null {
  return isSmall(json) ? null : firstBeyond(BOUNDS, json);
}

/** @throws ExcessError when a JSON text exceeds a bound. Call it before anything parses a text of another system. */
export function requireBounded(json: string): void {
  const excess = findExcess(json);
  if (excess !== null) throw new ExcessError(excess);
}

function isSmall(json: string): boolean {
  const most = BOUNDS.depth + 1;
  return json.length <= SMALL && countUpTo(most, json, '{') + countUpTo(most, json, '[') < most;
}

function countUpTo(most: number, text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1 && count < most; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/** As `findExcess`, with other bounds. */
export function firstBeyond(bounds: Bounds, json: string): Excess | null {
  /** Values so far in each open array and object, and how many it may have. */
  const counts = [0];
  const most = [1];
  let values = 0;
  let depth = 0;
  /** Index after the last sign. Between two signs is white space, or a number or word. */
  let after = 0;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    // `[` and `{` differ only in the bit 0x20, as do `]` and `}`.
    const bracket = code | 0x20;
    if (code !== QUOTE && code !== COMMA && code !== COLON && bracket !== OPEN && bracket !== CLOSE) continue;
    if (i - after > bounds.text && json.slice(after, i).trim().length > bounds.text) return 'too_long_text';
    if (code === QUOTE) {
      const end = endOfString(json, i);
      if (end - i - 1 > bounds.text) return 'too_long_text';
      i = end;
    } else if (bracket === OPEN) {
      if (++depth > bounds.depth) return 'too_deep';
      counts[depth] = 1;
      most[depth] = code === OPEN ? bounds.keys : bounds.items;
      values++;
    } else if (bracket === CLOSE) {
      depth = Math.max(0, depth - 1);
    } else if (code === COMMA && depth > 0) {
      values++;
      counts[depth] = (counts[depth] ?? 0) + 1;
      if ((counts[depth] ?? 0) > (most[depth] ?? 0))
        return most[depth] === bounds.keys ? 'too_many_keys' : 'too_many_items';
    }
    if (values > bounds.values) return 'too_many_values';
    after = i + 1;
  }
  return json.length - after > bounds.text && json.slice(after).trim().length > bounds.text ? 'too_long_text' : null;
}

/**
 * Returns the index of the quote that ends the string which starts at `start`. Returns the length of the text when the
 * string does not end.
 */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
