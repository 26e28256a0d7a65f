const MARK = '[redacted]';

/**
 * Below this length a key is a rehearsal's ("demo"), and replacing it inside data would change data. Errors are
 * redacted whatever the length.
 */
const MIN_LENGTH_IN_DATA = 12;

/** Shorter pieces of base64 would be found in texts that have nothing to do with the key. */
const MIN_BASE64 = 8;

/** Signs and letters of which keys are made, written as their numbers: some writers of JSON escape `+` so. */
const HAS_ESCAPED_LETTERS = /\\u00[2-7][0-9a-f]|%[2-7][0-9a-f]|%25|&#x?[0-9a-f]/i;

const HTML_NAMES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** Whether a key is so short that it is a word of a rehearsal, not a secret. */
export function isRehearsalKey(secret: string): boolean {
  return secret.length < MIN_LENGTH_IN_DATA;
}

export interface Redactor {
  /** For text that people read (errors, logs): any mixture of escapes is seen through. */
  text(text: string): string;
  /** For text that is data (bodies, request keys): the usual spellings, found fast, and any other where letters are escaped. */
  data(text: string): string;
}

/** Makes the functions that take a secret out of text, also as JSON, URLs, forms, HTML, hex and base64 spell it. */
export function createRedactor(secret: string): Redactor {
  if (secret === '') return { text: (text) => text, data: (text) => text };
  const spellings = [...new Set([...plainSpellings(secret), ...encodedSpellings(secret)])];
  const escaped = new RegExp(secret.split('').map(anyEscape).join(''), 'gi');
  const plain = (text: string): string => {
    let out = text;
    for (const spelling of spellings) if (out.includes(spelling)) out = out.replaceAll(spelling, MARK);
    return out;
  };
  const text = (said: string): string => plain(said).replaceAll(escaped, MARK);
  const data = (said: string): string => (HAS_ESCAPED_LETTERS.test(said) ? text(said) : plain(said));
  return { text, data: isRehearsalKey(secret) ? (said) => said : data };
}

/** As JSON, URLs, forms and HTML write it. */
function plainSpellings(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret);
  const form = new URLSearchParams([['', secret]]).toString().slice(1);
  const html = secret.replaceAll(/[&<>"']/g, (sign) => (sign === "'" ? '&#39;' : `&${HTML_NAMES[sign]};`));
  const lowerCase = (text: string): string => text.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
  return [secret, json, json.replaceAll('/', String.raw`\/`), url, lowerCase(url), form, lowerCase(form), html];
}

/** In hex, and in base64 wherever in the encoded text it begins (`Token <key>` encodes to other letters than `<key>`). */
function encodedSpellings(secret: string): string[] {
  const hex = Buffer.from(secret).toString('hex');
  const base64 = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    // Letters that hold bits of a neighbour are cut off: those vary.
    return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
  const long = base64.filter((text) => text.length >= MIN_BASE64);
  return [
    ...(hex.length >= MIN_BASE64 ? [hex, hex.toUpperCase()] : []),
    ...long,
    ...long.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** A pattern for one character however it is escaped: backslashes, `\\u0041`, `%41`, `%2541`, `&#65;`, `&#x41;`, `&amp;`. */
function anyEscape(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16).padStart(2, '0');
  const name = HTML_NAMES[character];
  return [
    String.raw`(?:\\{0,8}${character.replace(/[^A-Za-z0-9]/, String.raw`\x${hex}`)}`,
    String.raw`\\{1,8}u00${hex}`,
    `%(?:25){0,8}${hex}`,
    `&#0{0,8}${code};`,
    `&#x0{0,8}${hex.replace(/^0/, '')};`,
    ...(name === undefined ? [] : [`&${name};`]),
  ]
    .join('|')
    .concat(')');
}
