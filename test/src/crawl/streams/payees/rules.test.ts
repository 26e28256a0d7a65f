import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Payee } from '../../../../../schemas/pipeline/payees.js';
import { isIban } from '../../../../../src/crawl/streams/payees/iban.js';
import { isBic, payeeFault } from '../../../../../src/crawl/streams/payees/rules.js';

const fieldOf = (payee: Payee): string | null => payeeFault(payee)?.field ?? null;
const IBAN = 'DE89370400440532013000';

describe('payeeFault', () => {
  it.each<[string, Payee, string | null]>([
    ['ACNR without a bank', { country_code: 'US', id_scheme: 'ACNR', id: '1' }, 'holding_entity'],
    ['BICFI_ACNR without a bank', { country_code: 'CN', id_scheme: 'BICFI_ACNR', id: '1' }, 'holding_entity'],
    ['an unknown scheme of account numbers without a bank', { id_scheme: 'NEW_ACNR', id: '1' }, 'holding_entity'],
    ['ACNR with a bank', { country_code: 'US', id_scheme: 'ACNR', id: '1', holding_entity: '021000021' }, null],
    ['TXID in Brazil', { country_code: 'BR', id_scheme: 'X', id: '1', identity_type: 'TXID' }, 'identity_type'],
    ['NIDN in Brazil', { country_code: 'BR', id_scheme: 'X', id: '1', identity_type: 'NIDN' }, null],
    ['TXID elsewhere', { country_code: 'MX', id_scheme: 'X', id: '1', identity_type: 'TXID' }, null],
    [
      'BRBKBR with 6 characters',
      { country_code: 'BR', id_scheme: 'ACNR', id: '1', holding_entity: '123456' },
      'holding_entity',
    ],
    ['BRBKBR with 7 characters', { country_code: 'BR', id_scheme: 'ACNR', id: '1', holding_entity: '1234567' }, null],
    ['BRBKBR with 9 characters', { country_code: 'BR', id_scheme: 'ACNR', id: '1', holding_entity: '123456789' }, null],
    [
      'BRBKBR with 10 characters',
      { country_code: 'BR', id_scheme: 'ACNR', id: '1', holding_entity: '1234567890' },
      'holding_entity',
    ],
    ['a BIC in Brazil', { country_code: 'BR', id_scheme: 'BICFI_ACNR', id: '1', holding_entity: 'COBADEFFXXX' }, null],
    [
      'ZANCC with 5 characters',
      { country_code: 'ZA', id_scheme: 'ACNR', id: '1', holding_entity: '12345' },
      'holding_entity',
    ],
    ['ZANCC with 6 characters', { country_code: 'ZA', id_scheme: 'ACNR', id: '1', holding_entity: '012345' }, null],
    ['COID in South Africa', { country_code: 'ZA', id_scheme: 'X', id: '1', identity_type: 'COID' }, null],
    ['TXID in South Africa', { country_code: 'ZA', id_scheme: 'X', id: '1', identity_type: 'TXID' }, 'identity_type'],
    ['ACNR in China', { country_code: 'CN', id_scheme: 'ACNR', id: '1', holding_entity: '1' }, 'id_scheme'],
    ['CNAPS_ACNR in China', { country_code: 'CN', id_scheme: 'CNAPS_ACNR', id: '1', holding_entity: '1' }, null],
    ['IBAN_BICFI with a BIC', { id_scheme: 'IBAN_BICFI', id: IBAN, holding_entity: 'COBADEFFXXX' }, null],
    [
      'IBAN_BICFI with a bank code',
      { id_scheme: 'IBAN_BICFI', id: IBAN, holding_entity: '37040044' },
      'holding_entity',
    ],
    ['EPC with the IBAN only', { id_scheme: 'EPC', id: IBAN }, null],
    ['EPC with a bank', { id_scheme: 'EPC', id: IBAN, holding_entity: 'COBADEFFXXX' }, 'holding_entity'],
    ['EPC with another account', { id_scheme: 'EPC', id: '12345' }, 'id'],
    [
      'an IBAN of the United Kingdom',
      { country_code: 'GB', id_scheme: 'IBAN', id: 'GB82 WEST 1234 5698 7654 32' },
      null,
    ],
    ['an IBAN with wrong check digits', { id_scheme: 'IBAN', id: 'DE88370400440532013000' }, 'id'],
    ['a country in words', { country_code: 'GERMANY', id: '1' }, 'country_code'],
    ['an account alone', { id: '1' }, null],
    ['an account that a spreadsheet has rounded', { id: '4.05123E+15' }, 'id'],
    ['an account that a program has read as a decimal number', { id: '405123456.0' }, 'id'],
    ['a bank that a spreadsheet has rounded', { id: '1', holding_entity: '2.1E+07' }, 'holding_entity'],
    ['an account with dots', { id: '405.123.456' }, null],
  ])('%s', (_name, payee, field) => expect(fieldOf(payee)).toBe(field));

  it.each(['AU', 'ET', 'GH', 'HK', 'KE', 'MY', 'SG', 'TZ', 'ZM', 'BD', 'XK'])(
    'accepts the country %s',
    (country_code) => {
      expect(fieldOf({ country_code, id_scheme: 'ACNR', id: '1', holding_entity: '1' })).toBeNull();
    },
  );

  it('accepts the proxies EMAL, MBNO, FPSID and NRIC, and unknown schemes, with any account', () => {
    const scheme = fc.constantFrom('EMAL', 'MBNO', 'FPSID', 'NRIC', 'CLABE', 'UPI');
    fc.assert(
      fc.property(scheme, fc.string({ minLength: 1 }), (id_scheme, id) => {
        expect(fieldOf({ country_code: 'SG', id_scheme, id })).toBeNull();
      }),
    );
  });

  it('quotes neither the account nor the identity', () => {
    const secret = fc.stringMatching(/^[A-Z0-9]{8,20}$/);
    const scheme = fc.constantFrom('IBAN', 'EPC', 'ACNR', 'IBAN_BICFI');
    fc.assert(
      fc.property(secret, scheme, fc.constantFrom('BR', 'ZA', 'CN', 'DE'), (id, id_scheme, country_code) => {
        const fault = payeeFault({ id, id_scheme, country_code, identity_type: 'TXID', identity_value: id });
        expect(JSON.stringify(fault)).not.toContain(id);
      }),
    );
  });
});

describe('isIban', () => {
  const digits = fc.stringMatching(/^[0-9A-Z]{11,30}$/);
  const made = fc.tuple(fc.stringMatching(/^[A-Z]{2}$/), digits).map(([country, account]) => {
    // ISO 13616, with another algorithm than the code: letter by letter.
    let rest = 0;
    for (const sign of `${account}${country}00`) {
      const value = Number.parseInt(sign, 36);
      rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
    }
    return `${country}${String(98 - rest).padStart(2, '0')}${account}`;
  });

  it('accepts made IBANs, grouped or not, and rejects each with one other digit', () => {
    fc.assert(
      fc.property(made, fc.nat(), fc.integer({ min: 1, max: 9 }), (iban, at, by) => {
        expect(isIban(iban)).toBe(true);
        expect(isIban(iban.replaceAll(/.{4}/g, '$& ').toLowerCase())).toBe(true);
        const place = 4 + (at % (iban.length - 4));
        const sign = iban[place] ?? '';
        if (!/\d/.test(sign)) return;
        const other = String((Number(sign) + by) % 10);
        expect(isIban(iban.slice(0, place) + other + iban.slice(place + 1))).toBe(false);
      }),
    );
  });

  it.each(['', 'DE89', 'DE8937040044053201300', 'hello world of 16', 'DE89/3704/0044/0532/0130/00\u0000'])(
    'rejects %j',
    (text) => {
      expect(isIban(text)).toBe(false);
    },
  );
});

it.each([
  ['COBADEFF', true],
  ['COBA DE FF XXX', true],
  ['cobadeffxxx', true],
  ['COBADEFFXX', false],
  ['37040044', false],
])('isBic(%j) is %s', (text, expected) => expect(isBic(text)).toBe(expected));
