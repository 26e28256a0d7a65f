import { describe, expect, it } from 'vitest';
import {
  faultOf,
  sameIdentifier,
  type IdentifierKind,
  type Sameness,
} from '../../../../src/base/identifiers/identifiers.js';
import { normalizeRegistration, registrationSpellings } from '../../../../src/base/identifiers/registration.js';
import { damageOf } from '../../../../src/base/identifiers/text.js';
import { tickerSpellings } from '../../../../src/base/identifiers/ticker.js';

type Row = [country: string, one: string, other: string];

function compare(kind: IdentifierKind, [country, a, b]: Row): Sameness[] {
  const [one, other] = [
    { value: a, country },
    { value: b, country },
  ];
  return [sameIdentifier(kind, one, other), sameIdentifier(kind, other, one)];
}

describe('registration numbers', () => {
  it.each<Row>([
    ['GB', '123456', '00123456'],
    ['GB', 'SC12345', 'SC012345'],
    ['GB', 'sc 012345', 'SC012345'],
    ['DK', '12 34 56 74', '12345674'],
    ['DK', 'CVR-nr. 12345674', 'DK12345674'],
    ['FI', '1234562', '0123456-2'],
    ['BE', '0400.000.185', 'BE0400000185'],
    ['BE', '400000185', '0400000185'],
    ['SE', '551234-5678', '165512345678'],
    ['NO', 'NO 912 345 688 MVA', '912345688'],
    ['CH', 'CHE-100.123.459', '100123459'],
    ['AT', 'FN 123456 a', '123456A'],
    ['DE', 'HRB 1234', 'HRB1234'],
    ['DE', 'HRB 01234 B', 'HRB 1234 B'],
    ['DE', 'Amtsgericht Musterstadt, HRB 1234', 'HRB 1234 AG Musterstadt'],
    ['PL', 'KRS 0000123456', '123456'],
    ['CZ', '123456', '00123456'],
    ['IT', 'MI-1234567', 'MI 1234567'],
    ['EE', '１２３４５６７８', '12345678'],
    ['NL', 'KvK: 01234567', '1234567'],
    ['DK', '="12345674"', "'12345674"],
  ])('of %s are the same: %s and %s', (...row) => {
    expect(compare('registration', row)).toEqual(['equal', 'equal']);
  });

  it('of two countries compare the same way in both orders', () => {
    const [one, other] = [
      { value: 'A2', country: 'GB' },
      { value: '2', country: 'BE' },
    ];
    expect(sameIdentifier('registration', one, other)).toBe('different');
    expect(sameIdentifier('registration', other, one)).toBe('different');
  });

  it.each<Row>([
    ['GB', 'SC123456', '00123456'],
    ['GB', 'SC123456', 'NI123456'],
    ['DE', 'HRB 1234', 'HRA 1234'],
    ['DE', 'HRB 1234 B', 'HRB 1234 C'],
    ['DK', '12345674', '12345675'],
    ['FR', '30234567300012', '30234567300020'],
    ['DK', '12345678', '12345678A'],
    ['CH', 'CHE-100.123.459', 'CHE-100.123.465'],
    ['AT', 'FN 123456 a', 'FN 123456 b'],
    ['IT', 'MI 1234567', 'RM 1234567'],
  ])('of %s differ: %s and %s', (...row) => {
    expect(compare('registration', row)).toEqual(['different', 'different']);
  });

  it.each<Row>([
    ['DE', 'HRB 1234', '1234'],
    ['DE', 'HRB 1234', 'HRB 1234 B'],
    ['FR', '302 345 673', '30234567300012'],
    ['AT', '123456', 'FN 123456 a'],
    ['DK', 'none', 'none'],
    ['DK', '0', '00000000'],
  ])('of %s cannot be told apart or taken for the same: %s and %s', (...row) => {
    expect(compare('registration', row)).toEqual(['unknown', 'unknown']);
  });

  it('are written without the signs by which a spreadsheet marks text', () => {
    expect(['="0123-4"', "'0123-4"].map(normalizeRegistration)).toEqual(['0123-4', '0123-4']);
  });

  it('of two countries are not taken for the same', () => {
    const [dk, se] = ['DK', 'SE'].map((country) => ({ value: '12345674', country }));
    expect(sameIdentifier('registration', dk!, se!)).toBe('unknown');
  });

  it.each<[country: string, value: string, spellings: string[]]>([
    ['GB', '123456', ['00123456']],
    ['GB', 'SC12345', ['SC012345']],
    ['FI', '1234562', ['01234562']],
    ['FI', '0123456-2', ['01234562']],
    ['BE', 'BE 0400.000.185', ['0400000185', 'BE0400000185']],
    ['BE', '400000185', ['0400000185']],
    ['NO', '912345688', []],
    // No library knows this register, so no zeros are added.
    ['PL', '123456', []],
    ['DE', 'HRB 1234 B', ['HRB1234B']],
    ['DK', 'CVR-NR. 12345674', ['12345674']],
    ['DK', 'none-such', []],
  ])('of %s have other spellings: %s', (country, value, spellings) => {
    expect(registrationSpellings({ value: normalizeRegistration(value), country })).toEqual(spellings);
  });

  it.each([
    ['NO', '912345689', 'the check digit of the registration number is wrong'],
    ['DK', '12345678', 'the check digit of the registration number is wrong'],
    ['NO', '912345688', null],
    ['GB', '00123456', null],
    ['FI', '1', null],
  ])('of %s with a wrong check digit are named: %s', (country, value, fault) => {
    expect(faultOf('registration', { value, country })).toBe(fault);
  });
});

describe('legal entity identifiers', () => {
  const LEI = '549300DEMO0TIDEMAR65';

  it.each([
    LEI,
    LEI.toLowerCase(),
    '5493 00DE MO0T IDEM AR65',
    `LEI: ${LEI}`,
    '5493-00DE-MO0T-IDEM-AR65',
    ` ${LEI}\u00a0`,
    '５４９３００ＤＥＭＯ０ＴＩＤＥＭＡＲ６５',
    `LEI code ${LEI}`,
    '5493\u200b00DEMO0TIDEMAR65',
    `${LEI}\n`,
  ])('are the same in every spelling: %s', (value) => {
    expect(compare('lei', ['', value, LEI])).toEqual(['equal', 'equal']);
    expect(faultOf('lei', { value })).toBeNull();
  });

  // ISO 17442: 20 characters; the last two are digits, and the remainder by 97 is 1 (ISO 7064).
  it.each([
    ['549300DEMO0TIDEMAR66', 'the check digit of the LEI is wrong'],
    ['549300DEMO0TIDEMRA65', 'the check digit of the LEI is wrong'],
    ['549300DEMO0TIDEMAR6', 'the form of the LEI is wrong'],
    ['549300DEMO0TIDEMAR655', 'the form of the LEI is wrong'],
    ['549300DEMO0TIDEMARAA', 'the form of the LEI is wrong'],
    ['5493OODEMO0TIDEMAR65', 'the check digit of the LEI is wrong'],
  ])('with a fault are named: %s', (value, fault) => {
    expect(faultOf('lei', { value })).toBe(fault);
    expect(compare('lei', ['', value, LEI])).toEqual(['different', 'different']);
    expect(compare('lei', ['', value, value.toLowerCase()])).toEqual(['equal', 'equal']);
  });
});

describe('tickers', () => {
  it.each<[one: string, other: string, sameness: Sameness]>([
    ['abcde', 'ABCDE', 'equal'],
    ['$ABCDE', 'ABCDE', 'equal'],
    ['ABC.B', 'ABC/B', 'equal'],
    ['ABC-B', 'abc.b', 'equal'],
    ['XCSE:ABC', 'XCSE: abc', 'equal'],
    ['ABC DC', 'abc dc', 'equal'],
    ['XCSE:ABC', 'ABC', 'unknown'],
    ['ABC DC', 'ABC', 'unknown'],
    ['XCSE:ABC', 'XSTO:ABC', 'unknown'],
    ['ABC', 'ABD', 'different'],
    ['ABC.A', 'ABC.B', 'different'],
  ])('%s and %s', (one, other, sameness) => {
    expect(compare('ticker', ['', one, other])).toEqual([sameness, sameness]);
  });

  it('are also asked without their exchange', () => {
    expect(['XCSE:ABC', 'ABC DC', 'ABC'].map(tickerSpellings)).toEqual([['ABC'], ['ABC'], []]);
  });
});

describe('numbers that a spreadsheet has changed', () => {
  it.each([
    ['1.23457E+11', 'was rounded to scientific notation'],
    ['1,23457E+11', 'was rounded to scientific notation'],
    ['4E+08', 'was rounded to scientific notation'],
    ['4.0e8', 'was rounded to scientific notation'],
    ['123456.0', 'was changed to a decimal number'],
    ['123456,00', 'was changed to a decimal number'],
    ['1.234.567', null],
    ['0403.170.701', null],
    ['12.345.678', null],
    ['SC012345', null],
    ['2E12', null],
  ])('%s', (value, damage) => {
    expect(damageOf(value)).toBe(damage);
  });
});
