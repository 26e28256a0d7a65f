import { vatHome } from './countries.js';
import { checkRegister, withLostZeros, type Check } from './stdnum.js';
import { compact, isPlaceholder, plainText, settle, withoutZeros, type Given, type Sameness } from './text.js';

/** A number of a company register, taken apart. */
interface Registration {
  /** Equal numbers have equal keys. */
  key: string;
  /** A part that some lists leave out, such as the court in Germany; null if the number does not have it. */
  rest: string | null;
  /** The digits without leading zeros. */
  digits: string;
}

// Words that lists write before a number. A separator or a digit must follow.
const LABEL =
  /^(?:(?:COMPANY|REGISTRATION|REGISTERED|REG|ORG)[. ]*)?(?:NO|NR|NUMBER|№|CVR|KVK|SIREN|SIRET|ABN|ACN|UEN|KRS|REGON|IČO|ICO|EIK|CUI|OIB|CRN|CVR-NR|ORGNR)(?:[.: -]+(?=[A-Z]*\d)|(?=\d))/u;

/**
 * Writes a number of a company register in capitals, and without spaces between digits. Keeps dashes, because some
 * registers need them.
 */
export function normalizeRegistration(value: string): string {
  return settle(value, (given) =>
    isPlaceholder(given)
      ? ''
      : plainText(given)
          .toUpperCase()
          .replaceAll(/(?<=\d) (?=\d)/g, ''),
  );
}

function parse({ value, country }: Given): Registration | null {
  if (isPlaceholder(value)) return null;
  const home = vatHome(country);
  const words = plainText(value).toUpperCase();
  const text = withoutPrefix(compact(words.replace(LABEL, '')), home);
  if (!/\d/.test(text)) return null;
  const [key, rest] = (home === 'DE' ? germanParts(words) : null) ?? partsOf(text, home);
  return { key, rest, digits: withoutZeros(text.replaceAll(/\D/g, '')) };
}

/** Removes the country before a number, and the tax suffix of Norway. */
function withoutPrefix(text: string, home: string | null): string {
  if (home === null) return text;
  const prefixes = home === 'CH' ? 'CHE|CH' : home === 'GR' ? 'EL|GR' : home;
  const bare = text.replace(new RegExp(`^(?:${prefixes})(?=\\d{5,}(?:[A-Z]{3,4})?$)`), '');
  return home === 'NO' || home === 'CH' ? bare.replace(/(?<=^\d{9})(MVA|MWST|TVA|IVA|TPV)$/, '') : bare;
}

/** Takes a German number apart: register, number, and a court or its letter. A number is unique only in its court. */
function germanParts(words: string): [key: string, rest: string | null] | null {
  const parts = /^(.*?)\b(HRA|HRB|GNR|GSR|PR|VR)[ .:-]*(?:NR[. ]*)?0*(\d+)(?: ?(?!AG\b)([A-Z]{1,3})\b)?(.*)$/u.exec(
    words,
  );
  if (parts === null) return null;
  const [, before = '', register = '', number = '', letter = '', after = ''] = parts;
  const court = compact(`${before}${after}`).replaceAll(/AMTSGERICHT|^AG/g, '');
  return [`${register}${number}`, `${letter}${court}` || null];
}

function partsOf(text: string, home: string | null): [key: string, rest: string | null] {
  const bare = withoutZeros(text);
  switch (home) {
    case 'FR': {
      // The number of an establishment (SIRET) begins with that of its company (SIREN).
      const [, siren, establishment] = /^(\d{9})(\d{5})$/.exec(text) ?? [];
      return [withoutZeros(siren ?? text), establishment ?? null];
    }
    case 'GB':
      // Numbers have eight characters, of which the first two may be letters: `SC012345`.
      return [text.replace(/^([A-Z]{0,2})0+(?=\d)/, '$1'), null];
    case 'SE':
      return [bare.replace(/^16(?=\d{10}$)/, ''), null];
    case 'AT': {
      // A letter checks the number.
      const [, number, letter] = /^(?:FN)?0*(\d{1,6})([A-Z]?)$/.exec(text) ?? [];
      return number === undefined ? [bare, null] : [number, letter === '' ? null : (letter ?? null)];
    }
    default:
      return [bare, null];
  }
}

/** Compares two numbers of company registers. */
export function sameRegistration(one: Given, other: Given): Sameness {
  const [homeA, homeB] = [vatHome(one.country), vatHome(other.country)];
  const a = parse({ ...one, country: homeA ?? homeB });
  const b = parse({ ...other, country: homeB ?? homeA });
  if (a === null || b === null) return 'unknown';
  const known = homeA !== null && homeB !== null;
  if (a.key !== b.key) {
    // One of the two may lack the letters of its register. In Great Britain, numbers without letters are other numbers.
    const isBare = /^\d+$/.test(a.key) !== /^\d+$/.test(b.key);
    const prefixed = /^[A-Z]/.test(a.key) || /^[A-Z]/.test(b.key);
    const register = ![homeA, homeB].includes('GB') && isBare && prefixed;
    return register && a.digits === b.digits ? 'unknown' : 'different';
  }
  // Two countries may have given the same number to two companies.
  if (known && homeA !== homeB) return 'unknown';
  if (a.rest === b.rest) return 'equal';
  return a.rest === null || b.rest === null ? 'unknown' : 'different';
}

/** Checks the check digit of a number, if the country's register has one. */
export function checkRegistration(given: Given): Check {
  const home = vatHome(given.country);
  const text = home === null ? '' : spelled(given, home);
  if (home === null || !/\d/.test(text)) return 'unknown';
  const found = checkRegister(text, home);
  // Registers also have older numbers and other kinds of numbers. So only a wrong check digit is certain.
  return found === 'wrong form' ? 'unknown' : found;
}

/** Returns other spellings of a number that are worth a request, best first: at most two. */
export function registrationSpellings(given: Given): string[] {
  const home = vatHome(given.country);
  const plain = compact(plainText(given.value).toUpperCase().replace(LABEL, ''));
  const asGiven = normalizeRegistration(given.value);
  const wanted = home === null ? [plain] : [spelled(given, home), plain];
  return [...new Set(wanted)].filter((spelling) => spelling !== asGiven && /\d/.test(spelling)).slice(0, 2);
}

/** Returns the number without label, country and separators, and with the zeros that a spreadsheet has removed. */
function spelled({ value }: Given, home: string): string {
  if (isPlaceholder(value)) return '';
  const text = withoutPrefix(compact(plainText(value).toUpperCase().replace(LABEL, '')), home);
  // No library knows the numbers of these two countries, but all of them have eight characters.
  if (home === 'GB' || home === 'NL')
    return text.replace(/^([A-Z]{0,2})(\d+)$/, (_all, letters: string, digits: string) => {
      return letters + digits.padStart(8 - letters.length, '0');
    });
  if (home === 'BE' && /^\d{9}$/.test(text)) return `0${text}`;
  return withLostZeros(text, (number) => checkRegister(number, home));
}
