import { KIND, type Versions } from './changes.js';
import type { Context } from './context.js';
import { TAG } from './tags.js';
import { marketCountryOf } from './traits.js';

/*
 * Registration and VAT numbers. They are permutations of the company index. So the index can be computed from a
 * number, without a lookup table of a million entries.
 */

/** A prime. Both multipliers below give permutations of 0 … MODULUS - 1. */
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

/** Registration number on a day: eight digits. After the first change of the number, a letter follows the digits. */
export function registrationNumberOf(index: number, versions: Versions): string {
  return registrationNumberOfVersion(index, versions.get(KIND.registration));
}

/** Registration number in one version. Version 0 is the first. */
export function registrationNumberOfVersion(index: number, version: number): string {
  const letter = version === 0 ? '' : String.fromCharCode(65 + (version % 26));
  return `${REGISTRATION.to(index)}${letter}`;
}

/**
 * Index of the company that a registration number belongs to. Ignores the letter after the digits, so it also finds
 * companies by earlier numbers.
 */
export function indexOfRegistration(text: string): number | undefined {
  const digits = /^(\d{8})[A-Z]?$/.exec(text.trim().toUpperCase())?.[1];
  return digits === undefined ? undefined : REGISTRATION.from(Number(digits));
}

/** VAT number on a day, with country prefix. Null for about a quarter of the companies. */
export function vatNumberOf(ctx: Context, index: number, versions: Versions): string | null {
  return vatNumberOfVersion(ctx, index, versions.get(KIND.vat));
}

/** VAT number in one version; null for none. */
export function vatNumberOfVersion(ctx: Context, index: number, version: number): string | null {
  if (ctx.dice.chance(0.25, TAG.vat, index, version)) return null;
  return `${marketCountryOf(ctx, index).code}${VAT.to(index)}${version === 0 ? '' : version % 10}`;
}

/**
 * Index of the company that a VAT number belongs to. Ignores the country and the digit after the first eight digits,
 * so it also finds companies by earlier numbers.
 */
export function indexOfVat(text: string): number | undefined {
  const digits = /^[A-Z]{2}(\d{8})\d?$/.exec(text.trim().toUpperCase())?.[1];
  return digits === undefined ? undefined : VAT.from(Number(digits));
}
