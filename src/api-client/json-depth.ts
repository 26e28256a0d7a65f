/*
 * Finds JSON that is nested too deep. A few kilobytes of brackets can overflow the stack of a JSON parser, and in
 * DuckDB an overflow ends the process. Real answers of the API nest at most ten levels. So the client rejects deeper
 * bodies before anything parses them.
 */

/** Deepest nesting of arrays and objects that a body may have, in levels. */
export const MAX_JSON_DEPTH = 100;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns whether a JSON text nests deeper than `limit`. Fast for texts with few brackets. Does not check that the text
 * is valid JSON.
 */
export function isDeeperThan(limit: number, json: string): boolean {
  return countUpTo(limit + 1, json, '{') + countUpTo(limit + 1, json, '[') > limit && measure(json) > limit;
}

function countUpTo(most: number, text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1 && count < most; at = text.indexOf(character, at + 1)) count++;
  return count;
}

function measure(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < json.length; i++) {
    const code = json.charCodeAt(i);
    if (code === QUOTE) i = endOfString(json, i);
    // `[` and `{` differ only in the bit 0x20, as do `]` and `}`.
    else if ((code | 0x20) === 0x7b) deepest = Math.max(deepest, ++depth);
    else if ((code | 0x20) === 0x7d) depth--;
  }
  return deepest;
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
