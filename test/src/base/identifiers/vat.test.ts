import { describe, expect, it } from 'vitest';
import { faultOf, sameIdentifier, type Sameness } from '../../../../src/base/identifiers/identifiers.js';
import { normalizeVat, vatSpellings } from '../../../../src/base/identifiers/vat.js';

type Side = [value: string, country?: string];

/** Compares both ways, because the order must make no difference. */
function compare([a, countryA]: Side, [b, countryB]: Side): Sameness[] {
  const [one, other] = [
    { value: a, country: countryA },
    { value: b, country: countryB },
  ];
  return [sameIdentifier('vat', one, other), sameIdentifier('vat', other, one)];
}

// One invented number for each structure of the list that VIES publishes, and for the countries around the Union. The
// national part comes first, then the prefix.
const STRUCTURES: [country: string, national: string, prefix?: string][] = [
  ['AT', 'U12345675'],
  ['BE', '0400000185'],
  ['BG', '123456786'],
  ['CY', '10234560L'],
  ['CZ', '25123459'],
  ['DE', '123456788'],
  ['DK', '12345674'],
  ['EE', '102345676'],
  ['ES', 'B12345674'],
  ['FI', '01234562'],
  ['FR', '22302345673'],
  ['GR', '012345670', 'EL'],
  ['HR', '12345678903'],
  ['HU', '12345676'],
  ['IE', '1234567T'],
  ['IE', '1234567FA'],
  ['IE', '8Z12345L'],
  ['IT', '00123450678'],
  ['LT', '123456715'],
  ['LT', '123456789112'],
  ['LU', '12345613'],
  ['LV', '40001234561'],
  ['MT', '12345634'],
  ['NL', '012345672B01'],
  ['PL', '1234563218'],
  ['PT', '512345678'],
  ['RO', '12345674'],
  ['SE', '551234567801'],
  ['SI', '12345679'],
  ['SK', '2021234567'],
  ['GB', '123456727'],
  ['GB', '123456727001'],
  ['GB', '123456727', 'XI'],
  ['CH', '100123459', 'CHE'],
  ['NO', '912345688MVA'],
];

describe('VAT numbers', () => {
  it.each(STRUCTURES)('of %s, such as %s, are the same with and without prefix', (country, national, prefix) => {
    const full = `${prefix ?? country}${national}`;
    for (const one of [national, full])
      for (const other of [national, full]) {
        expect(compare([one, country], [other, country]), `${one} and ${other}`).toEqual(['equal', 'equal']);
        expect(compare([one], [other, country]), `${one} without a country and ${other}`).toEqual(['equal', 'equal']);
      }
    expect(faultOf('vat', { value: full })).toBeNull();
    expect(vatSpellings({ value: full })).toContain(national);
    expect(vatSpellings({ value: national, country })).toContain(full);
  });

  it.each(STRUCTURES)('of %s, such as %s, differ if one digit differs', (country, national, prefix) => {
    const at = national.search(/\d(?=\d{0,2}\D*$)/);
    const typo = `${national.slice(0, at)}${(Number(national[at]) + 1) % 10}${national.slice(at + 1)}`;
    expect(compare([national, country], [`${prefix ?? country}${typo}`, country])).toEqual(['different', 'different']);
  });

  it.each<[Side, Side]>([
    // Prefixes that are not the ISO code.
    [['EL012345670'], ['GR012345670']],
    [['ΕΛ 012345670'], ['012345670', 'GR']],
    [
      ['EL012345670', 'EL'],
      ['012345670', 'GR'],
    ],
    [['XI123456727'], ['GB123456727']],
    [['UK 123 4567 27'], ['123456727', 'GB']],
    [['CHE-100.123.459 MWST'], ['CHE100123459']],
    [['CHE-100.123.459 TVA'], ['CHE-100.123.459 IVA']],
    [
      ['CHE-100.123.459', 'LI'],
      ['100123459', 'CH'],
    ],
    [['NO 912 345 688 MVA'], ['912345688', 'NO']],
    [
      ['FR22302345673', 'MC'],
      ['22302345673', 'MC'],
    ],
    [['ATU12345675'], ['12345675', 'AT']],
    // Lost zeros.
    [['BE400000185'], ['BE0400000185']],
    [
      ['400000185', 'BE'],
      ['BE0400000185', 'BE'],
    ],
    [['EL12345670'], ['012345670', 'GR']],
    [['IT123450678'], ['00123450678', 'IT']],
    [['1234562', 'FI'], ['FI01234562']],
    [['NL12345672B01'], ['NL012345672B01']],
    // A wrong check digit: compared like every other number.
    [['BE400000067'], ['0400000067', 'BE']],
    [['GR099999998'], ['99999998', 'GR']],
    [
      ['99887766', 'DK'],
      ['DK 99 88 77 66', 'DK'],
    ],
    // Formatting.
    [['be 0400.000.185'], ['BE0400000185']],
    [['BE\u00a00400\u202f000\u2009185'], ['BE0400000185']],
    [['ＢＥ０４０００００１８５'], ['BE0400000185']],
    [['٠٤٠٠٠٠٠١٨٥', 'BE'], ['BE0400000185']],
    [['\u200bBE0400000185\ufeff'], ['BE0400000185']],
    [['VAT No. GB 123 4567 27'], ['123456727', 'GB']],
    [['TVA BE 0400.000.185'], ['0400000185', 'BE']],
    [['USt-IdNr.: DE 123 456 788'], ['123456788', 'DE']],
    [['P.IVA 00123450678', 'IT'], ['IT00123450678']],
    [['CVR-nr. 12 34 56 74', 'DK'], ['DK12345674']],
    [['ES-B/1234567-4'], ['B12345674', 'ES']],
    [['IE 8Z12345L'], ['8z12345l', 'IE']],
  ])('are the same: %s and %s', (one, other) => {
    expect(compare(one, other)).toEqual(['equal', 'equal']);
  });

  it.each<[Side, Side]>([
    [['DK12345674'], ['SE12345674']],
    [
      ['DK12345674', 'DK'],
      ['SI12345674', 'SI'],
    ],
    [['BE0400000185'], ['BE0400000284']],
    [['CHE100123459'], ['DE100123459']],
    [['XI123456727'], ['IE123456727']],
    [['NL012345672B01'], ['NL012345672B02']],
    [['GB123456727001'], ['GB123456727002']],
    [['SE551234567801'], ['SE551234567802']],
    [['FR22302345673'], ['FR23302345673']],
    [['IE8Z12345L'], ['IE8Y12345L']],
    [['IE1+23456T'], ['IE1*23456T']],
    [
      ['BE0400000185', 'BE'],
      ['400000186', 'BE'],
    ],
  ])('differ: %s and %s', (one, other) => {
    expect(compare(one, other)).toEqual(['different', 'different']);
  });

  it.each<[Side, Side]>([
    // The numbers are equal, but a column names another country.
    [
      ['12345674', 'DK'],
      ['12345674', 'SE'],
    ],
    [
      ['12345674', 'DK'],
      ['SE12345674', 'SE'],
    ],
    // One of the two lacks a part.
    [['GB123456727'], ['GB123456727001']],
    [
      ['NL012345672B01', 'NL'],
      ['012345672', 'NL'],
    ],
    [['SE551234567801'], ['SE5512345678']],
    [
      ['302345673', 'FR'],
      ['FR22302345673', 'FR'],
    ],
    [['HU12345676'], ['12345676-2-41', 'HU']],
    // The number of an old Irish form, and the number of the new form that replaced it.
    [['IE8Z12345L'], ['IE0123458L']],
    // No number.
    [
      ['n/a', 'BE'],
      ['n/a', 'BE'],
    ],
    [['0'], ['0']],
    [['exempt'], ['exempt']],
    [['#N/A'], ['BE0400000185']],
  ])('cannot be told apart or taken for the same: %s and %s', (one, other) => {
    expect(compare(one, other)).toEqual(['unknown', 'unknown']);
  });

  it.each<[value: string, country: string | undefined, spellings: string[]]>([
    ['BE0400000185', undefined, ['0400000185']],
    ['0400000185', 'BE', ['BE0400000185']],
    ['BE400000185', 'BE', ['BE0400000185', '0400000185']],
    ['400000067', 'BE', ['BE0400000067', '0400000067']],
    ['EL012345670', 'GR', ['012345670', 'GR012345670']],
    ['GR012345670', 'GR', ['EL012345670', '012345670']],
    ['012345670', 'GR', ['EL012345670', 'GR012345670']],
    ['XI123456727', 'GB', ['GB123456727', '123456727']],
    ['CHE100123459MWST', 'CH', ['CHE100123459', '100123459']],
    ['CHE100123459', 'CH', ['100123459', 'CHE100123459MWST']],
    ['912345688', 'NO', ['NO912345688MVA', '912345688MVA']],
    ['NO912345688MVA', 'NO', ['912345688', '912345688MVA']],
    ['912345688 MVA', 'NO', ['912345688', 'NO912345688MVA']],
    ['123450678', 'IT', ['IT00123450678', '00123450678']],
    ['12345674', undefined, []],
    ['U12345675', 'AT', ['ATU12345675']],
  ])('%s of %s have at most two other spellings', (value, country, spellings) => {
    expect(vatSpellings({ value, country })).toEqual(spellings);
  });

  it.each([
    ['BE0400000186', 'the check digit of the VAT number is wrong'],
    ['EL099999998', 'the check digit of the VAT number is wrong'],
    ['DE123', 'the form of the VAT number is wrong'],
    ['US123456789', null],
  ])('with a fault are named: %s', (value, fault) => {
    expect(faultOf('vat', { value })).toBe(fault);
  });

  it.each(['n/a', '-', '0', '#N/A', 'none', '', '  '])('drop the placeholder "%s"', (value) => {
    expect(normalizeVat(value)).toBe('');
  });
});
