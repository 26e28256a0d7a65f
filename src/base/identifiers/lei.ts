import type { Check } from './stdnum.js';
import { compact, hasCheckDigits97, isPlaceholder, settle, type Given, type Sameness } from './text.js';

/** Writes a legal entity identifier with only capital letters and digits. */
export function normalizeLei(value: string): string {
  return settle(value, (given) =>
    isPlaceholder(given) ? '' : compact(given).replace(/^LEI(?:CODE|NO|NR)?(?=[A-Z0-9]{18}\d{2}$)/, ''),
  );
}

/** Checks a legal entity identifier: 18 letters and digits, then two check digits (ISO 17442). */
export function checkLei({ value }: Given): Check {
  const lei = normalizeLei(value);
  if (!/^[A-Z0-9]{18}\d{2}$/.test(lei)) return 'wrong form';
  return hasCheckDigits97(lei) ? 'right' : 'wrong check digit';
}

/** Compares two legal entity identifiers by their text, also if their check digits are wrong. */
export function sameLei(one: Given, other: Given): Sameness {
  const [a, b] = [normalizeLei(one.value), normalizeLei(other.value)];
  if (a === '' || b === '') return 'unknown';
  return a === b ? 'equal' : 'different';
}
