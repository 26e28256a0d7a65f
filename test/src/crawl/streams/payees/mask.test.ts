import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMask, maskNumber } from '../../../../../src/crawl/streams/payees/mask.js';
import { payeeQuestion } from '../../../../../src/crawl/streams/payees/question.js';

const NUMBER = fc.stringMatching(/^[0-9]{8,18}$/).filter((digits) => /[1-9]/.test(digits.slice(0, 3)));

describe('maskNumber', () => {
  it.each([
    ['DE89370400440532013000', 'DE…3000'],
    ['GB82 WEST 1234 5698 7654 32', 'GB…5432'],
    ['12345678', '…5678'],
    ['12345', '…45'],
    ['1234', '…'],
  ])('shows %s as %s', (number, shown) => expect(maskNumber(number)).toBe(shown));
});

describe('createMask', () => {
  const bare = (text: string): string => text.replaceAll(/[^0-9A-Za-z]/g, '');

  it('leaves no number in a text, however it is grouped', () => {
    fc.assert(
      fc.property(NUMBER, fc.constantFrom('', ' ', '-', '.'), fc.nat({ max: 5 }), (number, gap, every) => {
        const grouped = Array.from(number, (sign, i) => (every > 1 && i % every === 0 ? gap + sign : sign)).join('');
        expect(bare(createMask([number])(`The account ${grouped}, they say`))).not.toContain(number);
      }),
    );
  });

  it('keeps JSON readable, and hides numbers in strings, keys and numbers', () => {
    fc.assert(
      fc.property(NUMBER, fc.jsonValue(), (number, other) => {
        const plain = number.replace(/^0+/, '');
        const body = `{"other":${JSON.stringify(other)},"${number}":["${number}",{"n":${plain},"part":"${number.slice(2)}"}]}`;
        const masked = createMask([number])(body);
        const read = JSON.parse(masked) as Record<string, unknown>;
        expect(masked).not.toContain(plain);
        expect(Object.keys(read)).toHaveLength(Object.keys(JSON.parse(body) as object).length);
      }),
    );
  });

  it('changes no byte of a body without numbers', () => {
    const body = '{ "id" : 12345678901234567890123, "a":[1.50, "x"] }';
    expect(createMask(['4081726355'])(body)).toBe(body);
  });

  it('hides the account inside an IBAN, the tail of an IBAN, and other IBANs', () => {
    const mask = createMask(['DE89370400440532013000']);
    expect(mask('BBAN 0532 0130 00 and 0532013000')).toBe('BBAN …3000 and …3000');
    expect(mask('also GB82 WEST 1234 5698 7654 32 is paid')).toBe('also GB…5432 is paid');
    expect(createMask(['0532013000'])('{"iban":"DE89 3704 0044 0532 0130 00","n":532013000}')).not.toMatch(
      /5320?1?3|0532/,
    );
  });

  it('hides texts in fields about people, and keeps those about companies', () => {
    const body =
      '{"accountHolder":"Jo Roe","holder_name":"J","company":{"name":"Firm"},"holder_match":"FULL","email":""}';
    expect(createMask([])(body)).toBe(
      '{"accountHolder":"…","holder_name":"…","company":{"name":"Firm"},"holder_match":"FULL","email":""}',
    );
  });

  it('finds a number behind JSON escapes, an e-mail address in any case, and a short number only as a word', () => {
    expect(createMask(['4081726355'])(String.raw`{"a":"\u0034081726355"}`)).toBe('{"a":"…6355"}');
    expect(createMask(['Jane.Doe@firm.example'])('to jane.doe@FIRM.example!')).toBe('to …MPLE!');
    expect(createMask(['123'])('order 41235 of 123')).toBe('order 41235 of …');
  });
});

describe('payeeQuestion', () => {
  const payee = {
    country_code: 'DE',
    id: 'DE89370400440532013000',
    id_scheme: 'IBAN',
    identity_value: 'A12345678',
    name: 'X',
  };

  it('is the same for the same payee and salt only, and holds no number', () => {
    const question = payeeQuestion(payee, 'salt');
    expect(payeeQuestion({ ...payee }, 'salt')).toBe(question);
    expect(payeeQuestion(payee, 'other')).not.toBe(question);
    expect(payeeQuestion({ ...payee, id: 'DE02120300000000203000' }, 'salt')).not.toBe(question);
    const { fingerprint, ...masked } = JSON.parse(question) as Record<string, string>;
    expect(fingerprint).toMatch(/^[0-9a-f]{32}$/);
    expect(masked).toEqual({
      country_code: 'DE',
      id: 'DE…3000',
      id_scheme: 'IBAN',
      identity_value: '…5678',
      name: 'X',
    });
  });
});
