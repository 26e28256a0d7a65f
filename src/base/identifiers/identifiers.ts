import { checkLei, sameLei } from './lei.js';
import { sameEmail, sameMailDomain } from './email.js';
import { samePhone } from './phone.js';
import { sameProfile } from './profile.js';
import { checkRegistration, sameRegistration } from './registration.js';
import type { Check } from './stdnum.js';
import type { Given, Sameness } from './text.js';
import { sameTicker } from './ticker.js';
import { checkVatNumber, sameVat } from './vat.js';
import { sameWebsite } from './website.js';

export type { Given, Sameness } from './text.js';

/** Compares two identifiers of one kind. The order of the two makes no difference. */
type Compare = (one: Given, other: Given) => Sameness;

const COMPARE = {
  vat: sameVat,
  registration: sameRegistration,
  lei: sameLei,
  ticker: sameTicker,
  phone: samePhone,
  website: sameWebsite,
  email: sameEmail,
  /** Compares an e-mail address with a website or another e-mail address. */
  mail_domain: sameMailDomain,
  profile: sameProfile,
} satisfies Record<string, Compare>;

/** A kind of identifier. */
export type IdentifierKind = keyof typeof COMPARE;

export const IDENTIFIER_KINDS = Object.keys(COMPARE) as IdentifierKind[];

const CHECKS: Partial<Record<IdentifierKind, [name: string, check: (given: Given) => Check]>> = {
  vat: ['VAT number', checkVatNumber],
  registration: ['registration number', checkRegistration],
  lei: ['LEI', checkLei],
};

/**
 * Compares two identifiers of companies by their meaning, not by their spelling. Two numbers without content are
 * `unknown`.
 */
export function sameIdentifier(kind: IdentifierKind, one: Given, other: Given): Sameness {
  return COMPARE[kind](one, other);
}

/** Returns what is wrong with an identifier, such as `the check digit of the LEI is wrong`; null if nothing is known. */
export function faultOf(kind: IdentifierKind, given: Given): string | null {
  const [name, check] = CHECKS[kind] ?? [];
  if (name === undefined || check === undefined || given.value === '') return null;
  switch (check(given)) {
    case 'wrong check digit':
      return `the check digit of the ${name} is wrong`;
    case 'wrong form':
      return `the form of the ${name} is wrong`;
    default:
      return null;
  }
}
