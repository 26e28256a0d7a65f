import { z } from 'zod';
import { PAYEE_PROXY_SCHEMES } from '../../schemas/v2/payee.js';
import type { FieldMessages } from '../http/validate.js';

/*
 * Rules by which a payee check is refused. They come from the release notes, which name only the fields `id_scheme` and
 * `holding_entity`. The sandbox chose the names of the other fields:
 * - `id`: the account or proxy
 * - `holding_entity`: the code of the bank
 * - `identity_type` and `identity_value`: the identity of the payee
 */

const filled = z.string().min(1);

export const PayeeCheckBody = z.strictObject({
  country_code: z.string().regex(/^[A-Za-z]{2}$/, 'Expected a two-letter country code.'),
  id_scheme: filled,
  id: filled,
  holding_entity: z.string().optional(),
  identity_type: z.string().optional(),
  identity_value: z.string().optional(),
  company_id: z.union([z.string(), z.number()]).optional(),
  registration_number: z.string().optional(),
  name: z.string().optional(),
});
export type PayeeCheckRequest = z.infer<typeof PayeeCheckBody>;

/** Countries that the release notes announce but that are not available yet. */
const COMING = ['BD', 'SA', 'UG'];
/**
 * Countries for which checks work: the "nine more countries" of the release notes, and those that were available
 * before.
 */
const COUNTRIES = new Set(
  'AU ET GH HK KE MY SG TZ ZM AT BE BR CN DE DK ES FI FR GB GR IE IN IT LU MX NL NO NZ PL PT SE US ZA'.split(' '),
);
const ACCOUNT_SCHEMES = ['ACNR', 'BICFI_ACNR', 'CNAPS_ACNR', 'IBAN', 'IBAN_BICFI', 'EPC'];
export const PAYEE_SCHEMES: readonly string[] = [...ACCOUNT_SCHEMES, ...PAYEE_PROXY_SCHEMES];
const IDENTITY_TYPES = ['NIDN', 'COID', 'TXID'];
const BIC = /^[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/;

/**
 * Returns all errors of a payee check by field. The types were checked before. If the result is empty, the check can
 * run.
 */
export function payeeFaults(check: PayeeCheckRequest): FieldMessages {
  const faults: FieldMessages = {};
  const add = (field: keyof PayeeCheckRequest, message: string): void => void (faults[field] ??= []).push(message);
  const country = check.country_code.toUpperCase();
  if (COMING.includes(country)) add('country_code', `${country} is announced, but not available yet.`);
  else if (!COUNTRIES.has(country)) add('country_code', `${country} is not covered.`);
  if (!PAYEE_SCHEMES.includes(check.id_scheme)) add('id_scheme', `"${check.id_scheme}" is not a valid choice.`);
  if (country === 'CN' && check.id_scheme === 'ACNR')
    add('id_scheme', 'ACNR was removed for China: use BICFI_ACNR or CNAPS_ACNR.');
  for (const [field, message] of bankFaults(check, country)) add(field, message);
  if (check.id_scheme.startsWith('IBAN') || check.id_scheme === 'EPC') {
    if (!isIban(check.id)) add('id', 'This is not a valid IBAN.');
  }
  if (check.identity_type !== undefined) {
    if (!IDENTITY_TYPES.includes(check.identity_type))
      add('identity_type', `"${check.identity_type}" is not a valid choice.`);
    if (country === 'BR' && check.identity_type === 'TXID')
      add('identity_type', 'TXID is retired for Brazil: use NIDN.');
    if (country === 'ZA' && !['NIDN', 'COID'].includes(check.identity_type))
      add('identity_type', 'South Africa accepts NIDN or COID.');
    if ((check.identity_value ?? '') === '') add('identity_value', 'This field is required with identity_type.');
  }
  return faults;
}

/**
 * Returns whether a check needs a bank but names none. The release notes say that such a check is refused with status
 * 400.
 */
export function lacksBank({
  id_scheme,
  holding_entity = '',
}: Pick<PayeeCheckRequest, 'id_scheme' | 'holding_entity'>): boolean {
  return id_scheme.endsWith('ACNR') && holding_entity === '';
}

function* bankFaults(
  { id_scheme, holding_entity = '' }: PayeeCheckRequest,
  country: string,
): Generator<['holding_entity', string]> {
  if (lacksBank({ id_scheme, holding_entity })) {
    yield ['holding_entity', 'This field is required for an account-number scheme.'];
    return;
  }
  if (id_scheme === 'EPC' && holding_entity !== '') yield ['holding_entity', 'The EPC scheme accepts only an IBAN.'];
  const takesBic = id_scheme === 'IBAN_BICFI' || id_scheme === 'BICFI_ACNR';
  if (takesBic && !BIC.test(holding_entity)) yield ['holding_entity', 'A BIC has 8 or 11 characters.'];
  if (id_scheme === 'CNAPS_ACNR' && !/^\d{12}$/.test(holding_entity))
    yield ['holding_entity', 'A CNAPS code has 12 digits.'];
  if (id_scheme !== 'ACNR') return;
  if (country === 'BR' && !/^.{7,9}$/.test(holding_entity))
    yield ['holding_entity', 'BRBKBR must be 7 to 9 characters.'];
  if (country === 'ZA' && !/^.{6}$/.test(holding_entity))
    yield ['holding_entity', 'ZANCC must be exactly 6 characters.'];
}

/** Returns whether a text is an IBAN with valid check digits (ISO 13616). */
export function isIban(text: string): boolean {
  const iban = text.replaceAll(/\s/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false;
  let remainder = 0;
  for (const char of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(char, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
