import type { Payee } from '../../../../schemas/pipeline/payees.js';
import { damageOf } from '../../../base/identifiers/text.js';
import { compact, isIban } from './iban.js';

/** Why a payee cannot be checked. The texts contain no account number and no identity number. */
interface PayeeFault {
  field: keyof Payee;
  /** The broken rule, as a sentence without a full stop. */
  rule: string;
  /** What the user can do, as a sentence. */
  todo: string;
}

const NUMBERS = ['id', 'holding_entity', 'identity_value', 'registration_number'] as const;

/**
 * Returns the first rule that a payee breaks; null if it may be sent. The first rule finds numbers that a spreadsheet has
 * changed. All other rules are from the release notes of 2 October 2026 (reference v2). Other countries, schemes and
 * identity types are not checked here: the API decides about them.
 */
export function payeeFault(payee: Payee): PayeeFault | null {
  const scheme = payee.id_scheme?.toUpperCase() ?? '';
  const country = payee.country_code?.toUpperCase() ?? '';
  const identity = payee.identity_type?.toUpperCase() ?? 'NIDN';
  for (const field of NUMBERS) {
    const damage = damageOf(payee[field] ?? '');
    if (damage !== null)
      return fault(
        field,
        `the number ${damage} by a spreadsheet, so digits are lost`,
        'Format the column as text, and enter the number again.',
      );
  }
  if (country === 'CN' && scheme === 'ACNR')
    return fault(
      'id_scheme',
      'China no longer has the scheme ACNR',
      'Use BICFI_ACNR with the BIC, or CNAPS_ACNR with the CNAPS code.',
    );
  const wrongBank = bankFault(payee.holding_entity, scheme, country);
  if (wrongBank !== null) return fault('holding_entity', ...wrongBank);
  if (takesIban(scheme) && !isIban(payee.id))
    return fault(
      'id',
      `the scheme ${scheme} needs an IBAN, but this value is not one: its form or its check digits are wrong`,
      'Compare the IBAN with the invoice, character by character.',
    );
  if (country === 'BR' && identity === 'TXID')
    return fault('identity_type', 'Brazil no longer has the identity type TXID', 'Use NIDN.');
  if (country === 'ZA' && !['NIDN', 'COID'].includes(identity))
    return fault('identity_type', 'South Africa has only the identity types NIDN and COID', 'Use one of these two.');
  if (!/^[A-Z]{2}$/.test(payee.country_code ?? 'XX'))
    return fault('country_code', 'a country is a two-letter code', 'Write DE instead of Germany, for example.');
  return null;
}

/** Returns the rule that the code of the bank breaks, and what the user can do. */
function bankFault(bank: string | undefined, scheme: string, country: string): [rule: string, todo: string] | null {
  // Count characters. `text.length` would count UTF-16 units.
  const length = Array.from(bank ?? '').length;
  if (parts(scheme).includes('ACNR') && bank === undefined)
    return [`the scheme ${scheme} needs the code of the bank`, 'Fill the column holding_entity.'];
  if (length > 0 && usesNational('BRBKBR', 'BR', scheme, country) && (length < 7 || length > 9))
    return ['a bank code of Brazil (BRBKBR) has 7 to 9 characters', `This one has ${length}.`];
  if (length > 0 && usesNational('ZANCC', 'ZA', scheme, country) && length !== 6)
    return [
      'a bank code of South Africa (ZANCC) has exactly 6 characters',
      `This one has ${length}. Spreadsheets drop leading zeros: format the column as text.`,
    ];
  if (scheme === 'IBAN_BICFI' && !isBic(bank ?? ''))
    return [
      'the scheme IBAN_BICFI takes the BIC of the bank, with 8 or 11 characters',
      'Put the BIC into holding_entity, or use the scheme IBAN.',
    ];
  if (scheme === 'EPC' && bank !== undefined)
    return ['the scheme EPC takes only the IBAN', 'Leave holding_entity empty, or use IBAN_BICFI.'];
  return null;
}

/** Whether the scheme expects an IBAN as the account. */
export function takesIban(scheme: string): boolean {
  return parts(scheme).includes('IBAN') || scheme === 'EPC';
}

/**
 * Whether the bank's code must be the national one (`BRBKBR`, `ZANCC`). This is so in two cases: the scheme names that
 * code, or the scheme is `ACNR` and the country is the home country of the code.
 */
function usesNational(code: string, home: string, scheme: string, country: string): boolean {
  return parts(scheme).includes(code) || (scheme === 'ACNR' && country === home);
}

/** Takes a scheme apart: `BICFI_ACNR` expects the BIC and an account number. */
function parts(scheme: string): string[] {
  return scheme.split('_');
}

/** Whether a text has the format of a BIC (ISO 9362). */
export function isBic(text: string): boolean {
  return /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(compact(text));
}

function fault(field: keyof Payee, rule: string, todo: string): PayeeFault {
  return { field, rule, todo };
}
