/*
 * What all identifiers share: equal texts are written in the same way, and values that identify nothing are found.
 */

/** Returns a function that loads a package at its first call. So commands that compare nothing start fast. */
export function lazy<Package>(load: () => Package): () => Package {
  let loaded: Package | undefined;
  return () => (loaded ??= load());
}

/** Result of a comparison. `unknown`: the values fit together, but do not show that they are the same. */
export type Sameness = 'equal' | 'different' | 'unknown';

/** An identifier, and the country of the row or company that has it. */
export interface Given {
  value: string;
  /** ISO 3166 alpha-2. */
  country?: string | null | undefined;
}

/**
 * Joins words with single spaces, and writes full-width letters and the digits of all scripts as ASCII. Removes the signs
 * by which a spreadsheet marks text: `="0123"` and `'0123`.
 */
export function plainText(value: string): string {
  return value
    .normalize('NFKC')
    .replaceAll(/\p{Nd}/gu, asciiDigit)
    .replaceAll(/[\s\p{Cf}]+/gu, ' ')
    .trim()
    .replace(/^="(.*)"$/, '$1')
    .replace(/^'/, '')
    .trim();
}

// Unicode has the ten digits of a script in a row, from zero to nine. Scripts may follow each other without a gap.
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0;
  let zero = code;
  while (/^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((code - zero) % 10);
}

/** Returns only the letters and digits of a text, in capitals. */
export function compact(value: string): string {
  return plainText(value)
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .normalize('NFC');
}

const NOTHING =
  /^(#(N\/A|VALUE!|REF!|NAME\?|NULL!|DIV\/0!|NUM!)|N\/?A|NONE|NIL|NULL|NAN|UNKNOWN|TBD|TBA|KEINE?|OHNE|K\.? ?A\.?|[-–—?.*x\s]+|[0\s.,-]+)$/i;

/** Whether a text says that there is no identifier: `n/a`, `#N/A`, `-`, `0`. */
export function isPlaceholder(value: string): boolean {
  return value === '' || NOTHING.test(plainText(value));
}

/**
 * Returns how a spreadsheet or program has changed a number, so that its digits are lost; null if it has not. Examples:
 * `1.23457E+11` and `123456.0`.
 */
export function damageOf(value: string): string | null {
  const text = plainText(value);
  if (/^[+-]?\d([.,]\d+)?E\+\d+$/i.test(text) || /^[+-]?\d[.,]\d+E\d+$/i.test(text))
    return 'was rounded to scientific notation';
  if (/^\d+[.,]0{1,2}$/.test(text)) return 'was changed to a decimal number';
  return null;
}

/** Repeats a change until the text stays the same. So a text that is normalized twice is the same as after once. */
export function settle(value: string, change: (text: string) => string): string {
  let text = value;
  for (let n = 0; n < 50; n++) {
    const next = change(text);
    if (next === text) break;
    text = next;
  }
  return text;
}

/** Removes zeros before the first other character. */
export function withoutZeros(text: string): string {
  return text.replace(/^0+(?=.)/, '');
}

/** Whether a text has the remainder 1 when divided by 97, as an LEI and an IBAN do (ISO 7064). `A` counts as 10. */
export function hasCheckDigits97(text: string): boolean {
  let remainder = 0;
  for (const sign of text) {
    const value = Number.parseInt(sign, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
