import type { Context } from './context.js';
import { indexOfAddress } from './contacts.js';
import { indexOfRegistration, indexOfVat } from './registration.js';
import { TAG } from './tags.js';
import { legalFormOf } from './traits.js';

/*
 * Finds a company by an identifier, without a search. Identifiers are computed from the index, and the index can be
 * computed from an identifier.
 */

/**
 * Legal forms whose companies have a stock ticker: 15 Public limited with Share Capital, 17 Old Public Limited Company.
 */
const LISTED_FORMS = new Set([15, 17]);
const A = 65;

/** Returns the ticker of a company, five letters. Null if its legal form has no ticker. */
export function tickerOf(ctx: Context, index: number): string | null {
  if (!LISTED_FORMS.has(legalFormOf(ctx, index))) return null;
  let rest = (index * 7 + 1_000_000) % 26 ** 5;
  let ticker = '';
  for (let n = 0; n < 5; n++) {
    ticker = String.fromCharCode(A + (rest % 26)) + ticker;
    rest = Math.floor(rest / 26);
  }
  return ticker;
}

/** Returns the index of the company with a ticker. */
export function indexOfTicker(ctx: Context, text: string): number | undefined {
  const ticker = text.trim().toUpperCase();
  if (!/^[A-Z]{5}$/.test(ticker)) return undefined;
  let value = 0;
  for (const letter of ticker) value = value * 26 + letter.charCodeAt(0) - A;
  const index = (value - 1_000_000) / 7;
  return Number.isSafeInteger(index) && index >= 0 && tickerOf(ctx, index) === ticker ? index : undefined;
}

/**
 * Returns the legal entity identifier: 18 characters and two check digits (ISO 17442). Null for four fifths of the
 * companies.
 */
export function leiOf(ctx: Context, index: number): string | null {
  if (!ctx.dice.chance(0.2, TAG.lei, index)) return null;
  const body = `549300${String(index).padStart(8, '0')}SBOX`;
  return body + checkDigits(body);
}

/** Computes check digits by ISO 7064 mod 97-10. The letters have the values 10 to 35. */
function checkDigits(body: string): string {
  let remainder = 0;
  for (const char of `${body}00`) {
    const value = Number.parseInt(char, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return String(98 - remainder).padStart(2, '0');
}

/** Returns the index of the company with a legal entity identifier. */
export function indexOfLei(ctx: Context, text: string): number | undefined {
  const lei = text.trim().toUpperCase();
  const digits = /^549300(\d{8})SBOX\d\d$/.exec(lei)?.[1];
  const index = digits === undefined ? undefined : Number(digits);
  return index !== undefined && leiOf(ctx, index) === lei ? index : undefined;
}

/** Identifiers with which a company is looked up. All given identifiers must belong to the same company. */
export interface Identifiers {
  registrationNumber?: string | undefined;
  vatNumber?: string | undefined;
  ticker?: string | undefined;
  lei?: string | undefined;
  /** Websites, domains, e-mail addresses or profile addresses. */
  addresses?: readonly string[];
}

/**
 * Returns the index of the company to which all given identifiers belong. Returns `none` when they belong to different
 * companies or one is unknown, and undefined when none is given.
 */
export function indexByIdentifiers(ctx: Context, given: Identifiers): number | 'none' | undefined {
  const found = [
    ...(given.registrationNumber === undefined ? [] : [indexOfRegistration(given.registrationNumber)]),
    ...(given.vatNumber === undefined ? [] : [indexOfVat(ctx, given.vatNumber)]),
    ...(given.ticker === undefined ? [] : [indexOfTicker(ctx, given.ticker)]),
    ...(given.lei === undefined ? [] : [indexOfLei(ctx, given.lei)]),
    ...(given.addresses ?? []).map((address) => indexOfAddress(ctx, address)),
  ];
  if (found.length === 0) return undefined;
  const [first] = found;
  return first !== undefined && found.every((index) => index === first) ? first : 'none';
}
