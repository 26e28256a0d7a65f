import type { Payee } from '../../../../schemas/pipeline/payees.js';
import { damageOf } from '../../../base/identifiers/text.js';
import { compact, isIban } from './iban.js';

/** Why a payee cannot be checked. The texts contain no account number and no identity number. */
export interface PayeeFault {
  field: keyof Payee;
  /** The broken rule, as a sentence without a full stop. */
  rule: string;
  /** What the user can do, as a sentence. */
  todo: string;
}

/** Returns the fault of a payee, or null. `scheme` and `country` are in upper case; '' if the payee has none. */
type Rule = (payee: Payee, scheme: string, country: string) => PayeeFault | null;

/** Whether the scheme needs an account number and the code of the bank: `ACNR`, `BICFI_ACNR`, `ZANCC_ACNR`, … */
const isAccountNumber = (scheme: string): boolean => parts(scheme).includes('ACNR');

/** Whether the scheme expects an IBAN as the account. */
export const takesIban = (scheme: string): boolean => parts(scheme).includes('IBAN') || scheme === 'EPC';

function parts(scheme: string): string[] {
  return scheme.split('_');
}

/**
 * Whether the bank's code must be the national one (`BRBKBR`, `ZANCC`). This is so in two cases: the scheme names that
 * code, or the scheme is `ACNR` and the country is the home country of the code.
 */
function usesNational(code: string, home: string, scheme: string, country: string): boolean {
  return parts(scheme).includes(code) || (scheme === 'ACNR' && country === home);
}

/**
 * The first rule finds numbers that a spreadsheet has changed. All other rules are from the release notes of 2 October
 * 2026 (reference v2). Other countries, schemes and identity types are not checked here: the API decides about them.
 */
const RULES: readonly Rule[] = [
  (payee) => {
    const numbers = ['id', 'holding_entity', 'identity_value', 'registration_number'] as const;
    for (const field of numbers) {
      const damage = damageOf(payee[field] ?? '');
      if (damage !== null)
        return fault(
          field,
          `the number ${damage} by a spreadsheet, so digits are lost`,
          'Format the column as text, and enter the number again.',
        );
    }
    return null;
  },

  (_payee, scheme, country) =>
    country === 'CN' && scheme === 'ACNR'
      ? fault(
          'id_scheme',
          'China no longer has the scheme ACNR',
          'Use BICFI_ACNR with the BIC, or CNAPS_ACNR with the CNAPS code.',
        )
      : null,

  ({ holding_entity }, scheme) =>
    isAccountNumber(scheme) && holding_entity === undefined
      ? fault('holding_entity', `the scheme ${scheme} needs the code of the bank`, 'Fill the column holding_entity.')
      : null,

  ({ holding_entity = '' }, scheme, country) =>
    holding_entity !== '' && usesNational('BRBKBR', 'BR', scheme, country) && !hasLength(holding_entity, 7, 9)
      ? fault(
          'holding_entity',
          'a bank code of Brazil (BRBKBR) has 7 to 9 characters',
          `This one has ${length(holding_entity)}.`,
        )
      : null,

  ({ holding_entity = '' }, scheme, country) =>
    holding_entity !== '' && usesNational('ZANCC', 'ZA', scheme, country) && !hasLength(holding_entity, 6, 6)
      ? fault(
          'holding_entity',
          'a bank code of South Africa (ZANCC) has exactly 6 characters',
          `This one has ${length(holding_entity)}. Spreadsheets drop leading zeros: format the column as text.`,
        )
      : null,

  ({ holding_entity = '' }, scheme) =>
    scheme === 'IBAN_BICFI' && !isBic(holding_entity)
      ? fault(
          'holding_entity',
          'the scheme IBAN_BICFI takes the BIC of the bank, with 8 or 11 characters',
          'Put the BIC into holding_entity, or use the scheme IBAN.',
        )
      : null,

  ({ holding_entity }, scheme) =>
    scheme === 'EPC' && holding_entity !== undefined
      ? fault('holding_entity', 'the scheme EPC takes only the IBAN', 'Leave holding_entity empty, or use IBAN_BICFI.')
      : null,

  ({ id }, scheme) =>
    takesIban(scheme) && !isIban(id)
      ? fault(
          'id',
          `the scheme ${scheme} needs an IBAN, but this value is not one: its form or its check digits are wrong`,
          'Compare the IBAN with the invoice, character by character.',
        )
      : null,

  ({ identity_type }, _scheme, country) =>
    country === 'BR' && identity_type?.toUpperCase() === 'TXID'
      ? fault('identity_type', 'Brazil no longer has the identity type TXID', 'Use NIDN.')
      : null,

  ({ identity_type = 'NIDN' }, _scheme, country) =>
    country === 'ZA' && !['NIDN', 'COID'].includes(identity_type.toUpperCase())
      ? fault('identity_type', 'South Africa has only the identity types NIDN and COID', 'Use one of these two.')
      : null,

  ({ country_code = 'XX' }) =>
    /^[A-Z]{2}$/.test(country_code)
      ? null
      : fault('country_code', 'a country is a two-letter code', 'Write DE instead of Germany, for example.'),
];

/** Returns the first rule that a payee breaks; null if it may be sent. */
export function payeeFault(payee: Payee): PayeeFault | null {
  const scheme = payee.id_scheme?.toUpperCase() ?? '';
  const country = payee.country_code?.toUpperCase() ?? '';
  for (const rule of RULES) {
    const found = rule(payee, scheme, country);
    if (found !== null) return found;
  }
  return null;
}

/** Whether a text has the format of a BIC (ISO 9362). */
export function isBic(text: string): boolean {
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(compact(text));
}

function fault(field: keyof Payee, rule: string, todo: string): PayeeFault {
  return { field, rule, todo };
}

function hasLength(text: string, least: number, most: number): boolean {
  return length(text) >= least && length(text) <= most;
}

/** Counts characters. `text.length` would count UTF-16 units. */
function length(text: string): number {
  return Array.from(text).length;
}
