import type { CompanyQuestion } from '../../../../schemas/pipeline/resolve.js';
import { isoCountry } from '../../../base/identifiers/countries.js';
import { normalizeEmail } from '../../../base/identifiers/email.js';
import { normalizeLei } from '../../../base/identifiers/lei.js';
import { normalizePhone } from '../../../base/identifiers/phone.js';
import { isPublicMail } from '../../../base/identifiers/public-mail.js';
import { normalizeRegistration } from '../../../base/identifiers/registration.js';
import { damageOf } from '../../../base/identifiers/text.js';
import { normalizeTicker } from '../../../base/identifiers/ticker.js';
import { normalizeVat } from '../../../base/identifiers/vat.js';
import { hostOf, normalizeAddress } from '../../../base/identifiers/website.js';

/*
 * Writes equal values in the same way, so that equal questions in all lists cause one request. Changes only details
 * that do not change the meaning, and keeps the spelling of the list: it is asked first (ways.ts). Each function returns
 * '' for a value without content.
 */

/** Removes spaces at both ends, and joins words with single spaces. */
export function normalizeText(value: string): string {
  return value.normalize('NFC').trim().replaceAll(/\s+/g, ' ');
}

// A change of case can split a letter into several characters. So normalize the text again.
function upperCase(value: string): string {
  return normalizeText(value).toUpperCase().normalize('NFC');
}

/** Keeps a number that a spreadsheet has changed, so that `problemOf` finds it. Normalizes all other numbers. */
function number(normalize: (value: string) => string): (value: string) => string {
  return (value) => (damageOf(value) === null ? normalize(value) : upperCase(value));
}

/** Normalizes a website. Lists also have e-mail addresses in this column. */
function website(value: string): string {
  const isMail = /^[^/\s]+@[^/\s]+$/.test(value.trim());
  return isMail && isPublicMail(hostOf(value)) ? '' : normalizeAddress(value);
}

export const NORMALIZE: Record<keyof CompanyQuestion, (value: string) => string> = {
  name: normalizeText,
  country_code: (value) => isoCountry(upperCase(value)),
  state: normalizeText,
  postal_code: upperCase,
  registration_number: number(normalizeRegistration),
  vat_number: number(normalizeVat),
  lei_number: number(normalizeLei),
  ticker: normalizeTicker,
  website,
  email: normalizeEmail,
  phone: number(normalizePhone),
  profile: normalizeAddress,
  person: normalizeText,
};
