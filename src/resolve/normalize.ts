import type { CompanyQuestion } from '../../schemas/pipeline/resolve.js';

/*
 * Writes equal values in the same way, so that equal questions in all lists cause one request. Changes only details
 * that do not change the meaning. Each function returns '' for a value without content.
 */

/** Removes spaces at both ends, and joins words with single spaces. */
export function normalizeText(value: string): string {
  return value.normalize('NFC').trim().replaceAll(/\s+/g, ' ');
}

// A change of case can split a letter into several characters. So normalize the text again.
function upperCase(value: string): string {
  return normalizeText(value).toUpperCase().normalize('NFC');
}

function lowerCase(value: string): string {
  return normalizeText(value).toLowerCase().normalize('NFC');
}

/**
 * Normalizes a number of a company register: capital letters, and no spaces between digits. Keeps dashes, because some
 * registers need them.
 */
export function normalizeRegistration(value: string): string {
  return upperCase(value).replaceAll(/(?<=\d) (?=\d)/g, '');
}

/** Normalizes a code such as a VAT number or an LEI: only capital letters and digits. */
export function normalizeCode(value: string): string {
  return value
    .normalize('NFKC')
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .normalize('NFC');
}

/** Normalizes a web address: lower case, without scheme, `www.`, query and final slash. */
export function normalizeAddress(value: string): string {
  return lowerCase(value)
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '')
    .replace(/^www\./, '')
    .replace(/[?#].*$/, '')
    .replace(/[\s/]+$/, '');
}

/** Normalizes a telephone number: only digits, with a `+` before an international number. */
export function normalizePhone(value: string): string {
  const digits = value.replaceAll(/\D/g, '');
  if (!/^\D*\+/.test(value) && !digits.startsWith('00')) return digits;
  const number = digits.replace(/^0+/, '');
  return number === '' ? '' : `+${number}`;
}

/** Normalizes an e-mail address: lower case, without `mailto:`. */
export function normalizeEmail(value: string): string {
  return lowerCase(value).replace(/^mailto:/, '');
}

/** Returns the domain of an e-mail address. A text without `@` is treated as a domain. */
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
