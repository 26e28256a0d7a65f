import { isoCountry, vatHome, vatPrefixes } from './countries.js';
import { checkVat, isKnownCountry, withLostZeros, type Check } from './stdnum.js';
import { compact, isPlaceholder, plainText, settle, withoutZeros, type Given, type Sameness } from './text.js';

/** A VAT number, taken apart. */
interface VatNumber {
  /** ISO code of the country that issued the number; null if neither the number nor its row names a country. */
  country: string | null;
  /** Whether the number itself names the country. */
  prefixed: boolean;
  /** The number without prefix and tax suffix (`MVA`, `MWST`). */
  national: string;
  /** The part that identifies the taxpayer, without leading zeros. */
  core: string;
  /** The part that varies between numbers of one taxpayer, such as a branch; null if the number does not have it. */
  rest: string | null;
}

// Words that lists write before a VAT number. None of them is also a country code.
const LABEL =
  /^(?:VAT|TVA|IVA|P\.? ?IVA|PARTITA IVA|MWST|UST|MOMS|BTW|ALV|UID|NIF|CIF|CVR|NIP|DIČ|DIC|IČ DPH|ΑΦΜ|AFM|CUI|TAX)(?:(?:[ .-]*(?:REG|ID|NR|NO|NUMBER|IDNR|CODE))*(?:[.: -]+|(?=\d)))/u;

/** Writes a VAT number with only capital letters and digits, without a label before it: `BE0400000067`. */
export function normalizeVat(value: string): string {
  return settle(value, (given) => {
    if (isPlaceholder(given)) return '';
    const text = plainText(given).toUpperCase().replace(LABEL, '');
    // Ireland once had numbers with a sign as the second character.
    if (/^(IE ?)?\d[+*]\d{5}[A-Z]$/.test(text)) return text.replaceAll(' ', '');
    return /\d/.test(text) ? compact(text) : '';
  });
}

/** @param elsewhere country of the number with which this one is compared */
function parse({ value, country }: Given, elsewhere?: string | null): VatNumber | null {
  const text = normalizeVat(value);
  if (!/\d/.test(text)) return null;
  const home = vatHome(country) ?? vatHome(elsewhere);
  const prefix = prefixOf(text, [vatHome(country), vatHome(elsewhere)]);
  const issuer = prefix === null ? home : vatHome(isoCountry(prefix));
  const national = withoutSuffix(text.slice(prefix?.length ?? 0), issuer);
  return { country: issuer, prefixed: prefix !== null, national, ...split(national, issuer) };
}

/** Returns the country prefix of a number; null if it has none. */
function prefixOf(text: string, countries: readonly (string | null)[]): string | null {
  const prefix = /^(CHE(?=\d)|ΕΛ|[A-Z]{2})(?=.*\d)/u.exec(text)?.[1];
  if (prefix === undefined) return null;
  const issuer = vatHome(isoCountry(prefix)) ?? prefix;
  if (countries.includes(issuer)) return prefix;
  if (!isKnownCountry(issuer)) return null;
  // National numbers may begin with two letters that are also a country code, as in France: `DE303265045`.
  const isNational = countries.some(
    (home) =>
      home !== null && checkVat(text, home) === 'right' && checkVat(text.slice(prefix.length), issuer) !== 'right',
  );
  return isNational ? null : prefix;
}

/** Removes what Norway and Switzerland write behind a number. The same number without it is the same number. */
function withoutSuffix(text: string, country: string | null): string {
  const suffix = /(?<=^\d+)(MVA|MWST|TVA|IVA|TPV|ULG|VAT)$/;
  return country === 'NO' || country === 'CH' || country === null ? text.replace(suffix, '') : text;
}

function split(national: string, country: string | null): Pick<VatNumber, 'core' | 'rest'> {
  const [core, rest] = partsOf(national, country);
  return { core: withoutZeros(core), rest };
}

// Only the form of the number decides, and not the check digit. So numbers with a typo can be compared, too.
function partsOf(national: string, country: string | null): [core: string, rest: string | null] {
  const find = (form: RegExp): string[] => form.exec(national)?.slice(1) ?? [];
  switch (country) {
    case 'AT':
      return [national.replace(/^U/, ''), null];
    case 'FR': {
      const [key, siren] = find(/^([A-Z0-9]{1,2})(\d{9})$/);
      return siren === undefined || key === undefined ? [national, null] : [siren, key.padStart(2, '0')];
    }
    case 'GB': {
      const [core, branch] = find(/^(\d{9})(\d{3})$/);
      return [core ?? national, branch ?? null];
    }
    case 'HU': {
      const [core, code] = find(/^(\d{8})(\d{3})$/);
      return [core ?? national, code ?? null];
    }
    case 'IE': {
      const [first, sign, digits, check] = find(/^(\d)([A-Z+*])(\d{5})([A-Z])$/);
      return sign === undefined ? [national, null] : [`0${digits}${first}${check}`, sign];
    }
    case 'NL': {
      const [core, part] = find(/^(\d{1,9})(B\d{2})$/);
      return [core ?? national, part ?? null];
    }
    case 'SE': {
      const [core, part] = find(/^(\d{10})(\d{2})$/);
      return [core ?? national, part ?? null];
    }
    default:
      return [national, null];
  }
}

/**
 * Compares two VAT numbers, with or without prefix. A number without prefix belongs to the country of its row; if the
 * row names none, to that of the other number.
 */
export function sameVat(one: Given, other: Given): Sameness {
  const a = parse(one, countryOf(other));
  const b = parse(other, countryOf(one));
  if (a === null || b === null) return 'unknown';
  if (a.prefixed && b.prefixed && a.country !== b.country) return 'different';
  if (a.core !== b.core) return 'different';
  // The numbers are equal, but a column names another country. The column may be wrong.
  if (a.country !== b.country) return 'unknown';
  if (a.rest === b.rest) return 'equal';
  return a.rest === null || b.rest === null ? 'unknown' : 'different';
}

function countryOf(given: Given): string | null {
  return parse(given)?.country ?? null;
}

/** Checks the check digit of a VAT number. */
export function checkVatNumber(given: Given): Check {
  const number = parse(given);
  if (number?.country === null || number === null) return 'unknown';
  return checkVat(withZeros(number.national, number.country), number.country);
}

function withZeros(national: string, country: string): string {
  // Until 2023, all Belgian numbers began with a zero, and many lists lack it. So every number of nine digits lacks it.
  if (country === 'BE' && /^\d{9}$/.test(national)) return `0${national}`;
  return withLostZeros(national, (number) => checkVat(number, country));
}

/** Returns other spellings of a VAT number that are worth a request, best first: at most two. */
export function vatSpellings(given: Given): string[] {
  const number = parse(given);
  if (number?.country === null || number === null) return [];
  const { country, prefixed } = number;
  const text = normalizeVat(given.value);
  const national = withZeros(number.national, country);
  return [...new Set(usualSpellings(national, country, prefixed))].filter((one) => one !== text).slice(0, 2);
}

/** Returns the spellings of a number, the most common one first. */
function usualSpellings(national: string, country: string, prefixed: boolean): string[] {
  if (country === 'NO') return [national, `NO${national}MVA`, `${national}MVA`, `NO${national}`];
  const [usual = '', ...others] = vatPrefixes(country).map((prefix) => `${prefix}${national}`);
  if (country === 'CH') others.push(`${usual}MWST`);
  return prefixed ? [usual, national, ...others] : [usual, ...others, national];
}
