/*
 * Checks text that JSON.parse does not accept. Some encoders write values that RFC 8259 does not allow, although the
 * rest of the text is clear. What Tidemark does with each kind of text (sql/macros/json.sql has the same rules):
 *
 * | text | example | written by | decision |
 * | --- | --- | --- | --- |
 * | NaN, Infinity, -Infinity | `{"a":NaN}` | Python json, Gson, Newtonsoft, RapidJSON | one bad value |
 * | nan, -nan, inf, Inf | `{"a":-nan}` | printf of C, Lua, Perl, R | one bad value |
 * | undefined, None, True, NULL | `{"a":None}` | templates of JavaScript, Python, SQL | one bad value |
 * | a number in another notation | `{"a":01}`, `+1`, `.5`, `1.`, `0x1F` | SQL, hand-written encoders | one bad value |
 * | any other word for a value | `{"a":N/A}` | templates | one bad value |
 * | comma before a closing bracket | `[1,2,]` | templates, JSON5 | malformed |
 * | tab or line break in a string | a raw line feed | hand-written encoders | part of the string |
 * | unpaired surrogate | `"\ud800"` | JavaScript, Python | U+FFFD in the warehouse |
 * | byte order mark at the start | U+FEFF | .NET | removed (src/api/caller.ts) |
 * | key twice in an object | `{"a":1,"a":2}` | hand-written encoders | reject `duplicate_key` |
 * | two values | `{"a":1}{"b":2}` | NDJSON, a script that answers twice | malformed |
 * | missing value or comma | `[1,,2]`, `{"a":}` | templates | malformed |
 * | comment, key without quotes, single quotes | `{'a':1}` | JavaScript, repr of Python | malformed |
 * | unknown escape, other control character | `"\x41"` | hand-written encoders | malformed |
 * | text around the JSON | `)]}'`, `cb({})`, a warning of PHP | guards, JSONP, PHP | malformed |
 * | text that ends too early | `{"a":1` | a broken connection | truncated |
 *
 * A bad value becomes one reject; all other values of the answer load. A malformed text can never become valid, so it
 * is not requested again. A truncated text may be complete in the next answer, so it is requested again.
 */

/** Why a text is not readable. `at` is the index of the first wrong character; `found` is this character. */
export interface JsonFault {
  kind: 'truncated' | 'malformed';
  at: number;
  found: string;
}

/**
 * Says what a text is and where its fault is. Names only one character of the text, because the text may hold personal
 * data.
 */
export function describeJsonFault(text: string, { at, found }: JsonFault): string {
  const before = text.slice(0, at).split('\n');
  const line = before.length === 1 ? '' : `line ${before.length}, `;
  return `unexpected ${JSON.stringify(found)} at ${line}character ${(before.at(-1) ?? '').length + 1}`;
}

/** White space between tokens. */
const SPACE = /[ \t\n\r]*/y;
// oxlint-disable-next-line no-control-regex -- strings must not contain them
const STRING = /"[^"\\\0-\x08\v\f\x0e-\x1f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\0-\x08\v\f\x0e-\x1f]*)*/y;
/** An escape that the end of the text cuts off. */
const CUT_ESCAPE = /\\(?:u[\da-fA-F]{0,3})?$/y;
/** A value that is no string, array or object: any characters that have no other meaning in JSON. */
// oxlint-disable-next-line no-control-regex -- words must not contain them
const WORD = /[^ "'\\{}[\],:\0-\x1f]+/y;

/**
 * Finds the first place at which a text differs from JSON. Accepts bad values, and raw tabs and line breaks in
 * strings (see above). Returns null if the text is readable.
 */
export function findJsonFault(text: string): JsonFault | null {
  const open: ('{' | '[')[] = [];
  let at = 0;
  let wanted: 'value' | 'key' | 'colon' | 'comma' | 'end' = 'value';
  /** Whether the text may go on with the first member or item of an array or object, or end it. */
  let isFirst = false;
  const fault = (index: number): JsonFault => ({
    kind: index >= text.length ? 'truncated' : 'malformed',
    at: index,
    found: text.slice(index, index + 1),
  });
  const skip = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const matches = pattern.test(text);
    if (matches) at = pattern.lastIndex;
    return matches;
  };
  const afterValue = (): 'comma' | 'end' => (open.length > 0 ? 'comma' : 'end');

  for (skip(SPACE); at < text.length; skip(SPACE)) {
    const sign = text[at];
    const inside = open.at(-1);
    const mayClose = isFirst || wanted === 'comma';
    isFirst = false;
    if (mayClose && sign === (inside === '{' ? '}' : ']')) {
      open.pop();
      wanted = afterValue();
      at++;
    } else if (wanted === 'comma' || wanted === 'colon') {
      if (sign !== (wanted === 'comma' ? ',' : ':')) return fault(at);
      wanted = wanted === 'comma' && inside === '{' ? 'key' : 'value';
      at++;
    } else if (wanted === 'end') {
      return fault(at);
    } else if (sign === '"') {
      skip(STRING);
      if (text[at] !== '"') return skip(CUT_ESCAPE) ? fault(text.length) : fault(at);
      wanted = wanted === 'key' ? 'colon' : afterValue();
      at++;
    } else if (wanted === 'key') {
      return fault(at);
    } else if (sign === '{' || sign === '[') {
      open.push(sign);
      isFirst = true;
      wanted = sign === '{' ? 'key' : 'value';
      at++;
    } else if (inside === undefined || !skip(WORD)) {
      return fault(at);
    } else {
      wanted = afterValue();
    }
  }
  return wanted === 'end' ? null : fault(text.length);
}
