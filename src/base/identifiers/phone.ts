import { createRequire } from 'node:module';
import type * as Phones from 'libphonenumber-js/max';
import type { PhoneNumber } from 'libphonenumber-js/max';
import { isoCountry } from './countries.js';
import { lazy, plainText, settle, type Given, type Sameness } from './text.js';

const require = createRequire(import.meta.url);

// The larger of the two sets of rules: only it knows which numbers exist. The package has both, and needs the same time.
const phones = lazy(() => require('libphonenumber-js/max') as typeof Phones);

// Words before an extension that the library does not know.
const EXTENSION =
  /\b(durchwahl|durchw|dw|apparat|app|nebenstelle|nst|klappe|kl|poste|interno|int|anexo|toestel|tst|lokal|lok|wewn)\b[.: ]*(?=\d)/giu;
// Texts between two numbers in one cell.
const BETWEEN = /\s*[/;|\n]\s*|,\s+|\s+(?:or|oder|ou|o|und|and|et|eller)\s+/iu;
// In these countries, companies give their staff numbers that begin with the company's own number.
const DIRECT_DIAL = /^(\+(?:49|43)\d{4,})-(\d{1,4})$/;

/** Telephone numbers of a company: `+442079460018`; `+49891234-12` if the part for direct dialling is marked. */
function read(value: string, country: string | null): string[] {
  const text = tidy(value);
  const whole = readOne(text, country);
  if (whole !== null) return [whole];
  return text
    .split(BETWEEN)
    .map((part) => readOne(part, country))
    .filter((number) => number !== null);
}

/** Writes digits, letters on keys, extensions and the prefix `00` as the library expects them. */
function tidy(value: string): string {
  const text = plainText(value.replaceAll('\n', ' / '))
    .replace(/^(tel|phone|fax|callto)\s*[.:]\s*/i, '')
    .replace(/^00(?=\s*\(?[1-9])/, '+')
    .replace(EXTENSION, ' ext. ');
  return withKeys(text);
}

const KEYS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '22233344455566677778889999';

/** Replaces letters by the digits of their keys, as in `1-800-555-TEXT`. */
function withKeys(text: string): string {
  if (!/^(\+?1[ .-]?)?\(?[2-9]\d{2}\)?[ .-]?[A-Z\d-]*[A-Z]{3}[A-Z\d-]*$/i.test(text)) return text;
  return text.replaceAll(/[A-Z]/gi, (letter) => DIGITS[KEYS.indexOf(letter.toUpperCase())] ?? letter);
}

function readOne(text: string, country: string | null): string | null {
  const parsed = parse(text, country);
  if (parsed === undefined || !parsed.isPossible()) return null;
  const { number } = parsed;
  const dialled = /(?<=\d ?)[-–](\d{1,4})$/.exec(text)?.[1];
  if (dialled === undefined || parsed.ext !== undefined || !number.endsWith(dialled)) return number;
  // The company's own number follows the area code. A dash behind the area code marks no direct dialling.
  const [, , ...own] = parsed.formatInternational().split(' ');
  if (own.join('').length < dialled.length + 3) return number;
  const marked = `${number.slice(0, -dialled.length)}-${dialled}`;
  return DIRECT_DIAL.test(marked) ? marked : number;
}

function parse(text: string, country: string | null): PhoneNumber | undefined {
  const { parsePhoneNumberFromString, isSupportedCountry } = phones();
  const known = country !== null && isSupportedCountry(country) ? country : undefined;
  return parsePhoneNumberFromString(text, known === undefined ? undefined : { defaultCountry: known });
}

/**
 * Writes an international number as E.164, without extension: `+442079460018`. Other numbers need a country to be
 * understood. They keep only their digits.
 */
export function normalizePhone(value: string): string {
  return settle(value, (given) => {
    const [number] = read(given, null);
    if (number !== undefined) return number;
    const text = tidy(given).replace(/[ ,;]*(?:x|ext|extension|#)[.:= ]*\d{1,7}$/i, '');
    // A slash may also separate the area code from the number.
    const first = text.split(BETWEEN).find((part) => part.replaceAll(/\D/g, '').length >= 7) ?? text;
    const bare = first.replaceAll(/\D/g, '');
    if (/^0*$/.test(bare)) return '';
    return /^\D*\+/.test(first) ? `+${bare.replace(/^0+/, '')}` : bare;
  });
}

/**
 * Compares two telephone numbers. A national number belongs to the country of its row or company; if there is none, to
 * that of the other number. Extensions make no difference: they are behind the same number.
 */
export function samePhone(one: Given, other: Given): Sameness {
  const [a, b] = [countryOf(one), countryOf(other)];
  const numbers = read(one.value, a ?? b);
  const others = read(other.value, b ?? a);
  if (numbers.length > 0 && others.length > 0) {
    const found = new Set(numbers.flatMap((number) => others.map((another) => sameLine(number, another))));
    return (['equal', 'unknown', 'different'] as const).find((sameness) => found.has(sameness)) ?? 'different';
  }
  const [left, right] = [digitsOf(one.value), digitsOf(other.value)];
  if (left === '' || right === '') return 'unknown';
  if (left === right) return 'equal';
  const [short, long] = left.length < right.length ? [left, right] : [right, left];
  return short.length >= 5 && long.endsWith(short) ? 'unknown' : 'different';
}

/** Compares two numbers. The number of a company, with or without `-0`, also reaches its direct dialling numbers. */
function sameLine(one: string, other: string): Sameness {
  const [a, b] = [one, other].map((number) => number.replace('-', ''));
  if (a === b) return 'equal';
  const [, baseA, endA] = DIRECT_DIAL.exec(one) ?? [];
  const [, baseB, endB] = DIRECT_DIAL.exec(other) ?? [];
  if (baseA !== undefined && baseB !== undefined) {
    if (baseA !== baseB) return 'different';
    return endA === '0' || endB === '0' ? 'equal' : 'unknown';
  }
  const [base, plain] = baseA === undefined ? [baseB, a] : [baseA, b];
  return base !== undefined && (plain === base || plain === `${base}0`) ? 'equal' : 'different';
}

function digitsOf(value: string): string {
  return normalizePhone(value).replaceAll(/\D/g, '').replace(/^0+/, '');
}

function countryOf({ country }: Given): string | null {
  return country === null || country === undefined || country === '' ? null : isoCountry(country.toUpperCase());
}

/** Returns the spelling to ask first, and at most two others that are worth a request. */
export function phoneSpellings(given: Given): string[] {
  const asGiven = normalizePhone(given.value);
  const [number] = read(asGiven, countryOf(given));
  if (number === undefined) return [asGiven];
  const [, base] = DIRECT_DIAL.exec(number) ?? [];
  const e164 = number.replace('-', '');
  const national = (parse(e164, null)?.formatNational() ?? '').replaceAll(/\D/g, '');
  const first = asGiven.replace('-', '');
  const wanted = [first, e164, ...(base === undefined ? [] : [`${base}0`]), national];
  return [...new Set(wanted)].filter((spelling) => spelling !== '').slice(0, 3);
}
