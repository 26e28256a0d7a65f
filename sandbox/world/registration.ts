import { KIND, type Versions } from './changes.js';
import type { Context } from './context.js';
import { nationalVat, possibleOwners, withoutPrefix } from './national-vat.js';
import { TAG } from './tags.js';
import { marketCountryOf } from './traits.js';

/*
 * Registration and VAT numbers. Each is computed from the company index by a function that can be reversed. So the
 * index can be computed from a number, and no table of a million entries is needed.
 */

/** A prime number. Because it is prime, both multipliers below give permutations of 0 … MODULUS - 1. */
const MODULUS = 89_999_999;
const REGISTRATION = permutation(7_654_321, 1_234_567);
const VAT = permutation(6_700_417, 86_420);

interface Permutation {
  to: (index: number) => number;
  from: (value: number) => number;
}

function permutation(multiplier: number, offset: number): Permutation {
  const inverse = BigInt(inverseModulo(multiplier, MODULUS));
  return {
    to: (index) => 10_000_000 + ((index * multiplier + offset) % MODULUS),
    from: (value) => {
      const shifted = ((BigInt(value - 10_000_000 - offset) % BigInt(MODULUS)) + BigInt(MODULUS)) % BigInt(MODULUS);
      return Number((shifted * inverse) % BigInt(MODULUS));
    },
  };
}

function inverseModulo(value: number, modulus: number): number {
  let [r0, r1, s0, s1] = [modulus, value, 0, 1];
  while (r1 !== 0) {
    const q = Math.floor(r0 / r1);
    [r0, r1] = [r1, r0 - q * r1];
    [s0, s1] = [s1, s0 - q * s1];
  }
  if (r0 !== 1) throw new Error(`${value} and ${modulus} have the common divisor ${r0}`);
  return ((s0 % modulus) + modulus) % modulus;
}

/** Returns the registration number on a day: eight digits. A letter follows once the number has changed. */
export function registrationNumberOf(index: number, versions: Versions): string {
  return registrationNumberOfVersion(index, versions.get(KIND.registration));
}

/** Returns the registration number in one version. Version 0 is the first number. */
export function registrationNumberOfVersion(index: number, version: number): string {
  const letter = version === 0 ? '' : String.fromCharCode(65 + (version % 26));
  return `${REGISTRATION.to(index)}${letter}`;
}

/**
 * Returns the index of the company to which a registration number belongs. Ignores the letter after the digits, so it
 * also finds companies by earlier numbers.
 */
export function indexOfRegistration(text: string): number | undefined {
  const digits = /^(\d{8})[A-Z]?$/.exec(text.trim().toUpperCase())?.[1];
  return digits === undefined ? undefined : REGISTRATION.from(Number(digits));
}

/**
 * Returns the VAT number on a day, in the form that the option `vatNumbers` selects. Null for about a quarter of the
 * companies.
 */
export function vatNumberOf(ctx: Context, index: number, versions: Versions): string | null {
  return vatNumberOfVersion(ctx, index, versions.get(KIND.vat));
}

/** Returns the VAT number in one version; null if there is none. */
export function vatNumberOfVersion(ctx: Context, index: number, version: number): string | null {
  if (ctx.dice.chance(0.25, TAG.vat, index, version)) return null;
  const { code } = marketCountryOf(ctx, index);
  const { vatNumbers = 'plain' } = ctx.options;
  const national = vatNumbers === 'plain' ? null : nationalVat(code, index, version);
  return asListed(ctx, national ?? `${code}${VAT.to(index)}${version === 0 ? '' : version % 10}`);
}

/** Returns a VAT number as records have it. */
function asListed({ options }: Context, number: string): string {
  return options.vatNumbers === 'bare' ? withoutPrefix(number) : number;
}

/**
 * Returns the index of the company to which a VAT number belongs. Ignores the country of a plain number, and the digit
 * after its first eight digits. So it also finds companies by earlier numbers.
 */
export function indexOfVat(ctx: Context, text: string): number | undefined {
  const number = text.trim().toUpperCase();
  const { vatNumbers = 'plain' } = ctx.options;
  const owners = vatNumbers === 'plain' ? [] : possibleOwners(number);
  for (const { index, version } of owners) {
    const owned = nationalVat(marketCountryOf(ctx, index).code, index, version);
    if (owned !== null && isSpelledAs(ctx, number, asListed(ctx, owned))) return index;
  }
  const [prefix, digits] = /^([A-Z]{2})?(\d{8})\d?$/.exec(number)?.slice(1) ?? [];
  const hasForm = prefix === undefined ? vatNumbers === 'bare' || vatNumbers === 'either' : vatNumbers !== 'bare';
  return digits === undefined || !hasForm ? undefined : VAT.from(Number(digits));
}

/** Returns whether a lookup by this text finds a company with this VAT number. */
export function isSpelledAs(ctx: Context, text: string, number: string | null | undefined): boolean {
  if (number === null || number === undefined) return false;
  const asked = text.trim().toUpperCase();
  return asked === number || (ctx.options.vatNumbers === 'either' && asked === withoutPrefix(number));
}
