import type { CompanyQuestion } from '../../schemas/pipeline/resolve.js';

/*
 * Writes equal values in one way, so that a question is asked once for all lists. Changes only what cannot change the
 * meaning. Each function returns '' for a value without content.
 */

/** Trims, and joins words with single spaces. */
export function normalizeText(value: string): string {
  return value.normalize('NFC').trim().replaceAll(/\s+/g, ' ');
}

// Another case can split a letter into several characters, so the text is composed again.
function upperCase(value: string): string {
  return normalizeText(value).toUpperCase().normalize('NFC');
}

function lowerCase(value: string): string {
  return normalizeText(value).toLowerCase().normalize('NFC');
}

/** A register's number: capitals, and no spaces between digits. Keeps dashes, because some registers need them. */
export function normalizeRegistration(value: string): string {
  return upperCase(value).replaceAll(/(?<=\d) (?=\d)/g, '');
}

/** A number without punctuation, such as a VAT number or an LEI: capital letters and digits. */
export function normalizeCode(value: string): string {
  return value
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .normalize('NFC');
}

/** An address on the web: lower case, without scheme, `www.`, query and final slash. */
export function normalizeAddress(value: string): string {
  return lowerCase(value)
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/^www\./, '')
    .replace(/[?#].*$/, '')
    .replace(/[\s/]+$/, '');
}

/** A telephone number: digits, with a `+` before an international number. */
export function normalizePhone(value: string): string {
  const digits = value.replaceAll(/\D/g, '');
  if (!/^\D*\+/.test(value) && !digits.startsWith('00')) return digits;
  const number = digits.replace(/^0+/, '');
  return number === '' ? '' : `+${number}`;
}

/** An e-mail address in lower case. */
export function normalizeEmail(value: string): string {
  return lowerCase(value).replace(/^mailto:/, '');
}

/** Domain of an e-mail address. A text without `@` is a domain already. */
export function domainOf(email: string): string {
  return normalizeAddress(email.slice(email.lastIndexOf('@') + 1));
}

export const NORMALIZE: Record<keyof CompanyQuestion, (value: string) => string> = {
  name: normalizeText,
  country_code: upperCase,
  state: normalizeText,
  postal_code: upperCase,
  registration_number: normalizeRegistration,
  vat_number: normalizeCode,
  lei_number: normalizeCode,
  ticker: upperCase,
  website: normalizeAddress,
  email: normalizeEmail,
  phone: normalizePhone,
  profile: normalizeAddress,
  person: normalizeText,
};
