import { createRequire } from 'node:module';
import type * as Stdnum from 'stdnum';
import { lazy } from './text.js';

/** What a library says about a number. `unknown`: it has no rule for this country. */
export type Check = 'right' | 'wrong check digit' | 'wrong form' | 'unknown';

type Validator = (typeof Stdnum.stdnum)[string][string];

const require = createRequire(import.meta.url);
const stdnum = lazy(() => require('stdnum') as typeof Stdnum);

// The VAT numbers of countries outside the European Union.
const VAT_ELSEWHERE: Readonly<Record<string, string>> = { GB: 'vat', NO: 'mva', IS: 'vsk', RS: 'pib', SM: 'coe' };

// Numbers of company registers.
const REGISTERS: Readonly<Record<string, string>> = {
  AT: 'businessid',
  AU: 'acn',
  BE: 'vat',
  CH: 'uid',
  DK: 'cvr',
  EE: 'registrikood',
  FI: 'ytunnus',
  FR: 'siren',
  NO: 'orgnr',
  SE: 'orgnr',
  SG: 'uen',
};

function vatRules(iso: string): Validator[] {
  const { stdnum: countries, euVat } = stdnum();
  if (iso === 'CH') return [countries['CH']?.['uid']].filter((rule) => rule !== undefined);
  const elsewhere = countries[iso]?.[VAT_ELSEWHERE[iso] ?? ''];
  return elsewhere === undefined ? (euVat[iso] ?? []) : [elsewhere];
}

function registerRules(iso: string): Validator[] {
  const rule = stdnum().stdnum[iso]?.[REGISTERS[iso] ?? ''];
  return rule === undefined ? [] : [rule];
}

/** Checks a VAT number of a country, without prefix: `0400000067`. */
export function checkVat(national: string, iso: string): Check {
  const text = iso === 'CH' ? `CHE${national}` : iso === 'NO' ? `${national}MVA` : national;
  return check(text, vatRules(iso));
}

/** Checks a number of a company register. */
export function checkRegister(number: string, iso: string): Check {
  return check(iso === 'CH' ? `CHE${number}` : number, registerRules(iso));
}

/** Whether the text can be a prefix of a VAT number. */
export function isKnownCountry(iso: string): boolean {
  return iso in stdnum().stdnum;
}

function check(text: string, rules: readonly Validator[]): Check {
  if (rules.length === 0) return 'unknown';
  const results = rules.map((rule) => rule.validate(text));
  if (results.some(({ isValid }) => isValid)) return 'right';
  return results.some(({ error }) => error?.name === 'InvalidChecksum') ? 'wrong check digit' : 'wrong form';
}

/**
 * Returns the number with the leading zeros that a spreadsheet has removed. Adds zeros only if the number has the wrong
 * form without them, and the right check digit with them.
 */
export function withLostZeros(number: string, checkNumber: (number: string) => Check): string {
  if (!/^\d+[A-Z]?\d*$/.test(number) || checkNumber(number) !== 'wrong form') return number;
  const longer = ['0', '00', '000', '0000'].map((zeros) => zeros + number);
  return longer.find((one) => checkNumber(one) === 'right') ?? number;
}
