import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IDENTIFIER_KINDS, sameIdentifier, type IdentifierKind } from '../../../../src/base/identifiers/identifiers.js';
import { COMPANIES } from '../../../../src/crawl/streams/matches/read-questions.js';
import { vatSpellings } from '../../../../src/base/identifiers/vat.js';

const country = fc.constantFrom(
  'BE',
  'DK',
  'GR',
  'GB',
  'CH',
  'NO',
  'FR',
  'AT',
  'ES',
  'IE',
  'NL',
  'SE',
  'SG',
  undefined,
);
const given = (value: fc.Arbitrary<string>) => fc.record({ value, country });
const digits = (length: number) =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((list) => list.join(''));

/** National parts of VAT numbers: digits by the structure of the country, with any check digit. */
const FORMS: Record<string, [prefix: string, before: string, digits: number, after: string]> = {
  AT: ['AT', 'U', 8, ''],
  BE: ['BE', '', 10, ''],
  DE: ['DE', '', 9, ''],
  DK: ['DK', '', 8, ''],
  ES: ['ES', 'B', 8, ''],
  FR: ['FR', '', 11, ''],
  GB: ['GB', '', 9, ''],
  GR: ['EL', '', 9, ''],
  IE: ['IE', '', 7, 'T'],
  IT: ['IT', '', 11, ''],
  NL: ['NL', '', 9, 'B01'],
  NO: ['NO', '', 9, 'MVA'],
  CH: ['CHE', '', 9, 'MWST'],
  SE: ['SE', '', 10, '01'],
};
const vat = fc.constantFrom(...Object.keys(FORMS)).chain((iso) => {
  const [prefix, before, length, after] = FORMS[iso]!;
  return digits(length)
    .filter((text) => Number(text) > 0)
    .map((text) => ({ iso, prefix, national: `${before}${text}${after}` }));
});

/** Adds what people and programs put between the characters of a number. */
const noise = (text: string) =>
  fc
    .array(fc.constantFrom('', '', '', ' ', '.', '-', '\u00a0', '\u202f', '/', '\u200b'), {
      minLength: text.length,
      maxLength: text.length,
    })
    .chain((gaps) =>
      fc
        .constantFrom(
          (one: string) => one,
          (one: string) => one.toLowerCase(),
          (one: string) => one.replaceAll(/[!-~]/g, (sign) => String.fromCodePoint(sign.codePointAt(0)! + 0xfee0)),
        )
        .map(
          (change) =>
            ` ${Array.from(text, (sign, i) => sign + gaps[i]!)
              .map(change)
              .join('')} `,
        ),
    );

describe('comparisons of identifiers', () => {
  it.each(IDENTIFIER_KINDS)('do not depend on the order: %s', (kind) => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: fc.constantFrom('0', '1', '2', 'A', 'B', 'E', '.', '-', ' ', '+', '/', '@'), maxLength: 14 }),
    );
    fc.assert(
      fc.property(given(text), given(text), (one, other) => {
        expect(sameIdentifier(kind, one, other)).toBe(sameIdentifier(kind, other, one));
      }),
    );
  });

  it.each(['vat', 'registration', 'lei', 'ticker', 'website', 'phone', 'email', 'profile'] as const)(
    'never call a text different from itself, or from its normalized form: %s',
    (kind: IdentifierKind) => {
      const field = (
        { vat: 'vat_number', registration: 'registration_number', lei: 'lei_number' } as Partial<
          Record<IdentifierKind, keyof typeof COMPANIES.fields>
        >
      )[kind];
      const { normalize } = COMPANIES.fields[field ?? (kind as keyof typeof COMPANIES.fields)];
      fc.assert(
        fc.property(given(fc.string({ unit: 'grapheme', maxLength: 20 })), (one) => {
          expect(sameIdentifier(kind, one, one)).not.toBe('different');
          const written = { ...one, value: normalize(one.value) };
          expect(sameIdentifier(kind, one, written)).not.toBe('different');
        }),
      );
    },
  );
});

describe('VAT numbers of any digits', () => {
  it('stay the same with any formatting, with or without prefix', () => {
    const pair = vat.chain(({ iso, prefix, national }) =>
      fc.tuple(fc.constant(iso), noise(national), noise(`${prefix}${national}`)),
    );
    fc.assert(
      fc.property(pair, ([iso, national, full]) => {
        expect(sameIdentifier('vat', { value: national, country: iso }, { value: full, country: iso })).toBe('equal');
      }),
      { numRuns: 500 },
    );
  });

  it('are never the same if their digits or countries differ', () => {
    const prefixed = fc.boolean();
    fc.assert(
      fc.property(vat, vat, prefixed, prefixed, (a, b, first, second) => {
        fc.pre(a.iso !== b.iso || a.national !== b.national);
        const write = (one: typeof a, full: boolean) => ({
          value: full ? `${one.prefix}${one.national}` : one.national,
          country: one.iso,
        });
        expect(sameIdentifier('vat', write(a, first), write(b, second))).not.toBe('equal');
      }),
      { numRuns: 2_000 },
    );
  });

  it('of one country that differ in one digit differ', () => {
    fc.assert(
      fc.property(vat, fc.nat(), fc.integer({ min: 1, max: 9 }), ({ iso, prefix, national }, place, step) => {
        const places = Array.from(national).flatMap((sign, i) => (/\d/.test(sign) ? [i] : []));
        const at = places[place % places.length]!;
        const other = `${national.slice(0, at)}${(Number(national[at]) + step) % 10}${national.slice(at + 1)}`;
        const [one, two] = [national, `${prefix}${other}`].map((value) => ({ value, country: iso }));
        expect(sameIdentifier('vat', one!, two!)).toBe('different');
      }),
      { numRuns: 1_000 },
    );
  });

  it('have at most two other spellings, and each is the same number', () => {
    fc.assert(
      fc.property(vat, fc.boolean(), ({ iso, prefix, national }, full) => {
        const one = { value: full ? `${prefix}${national}` : national, country: iso };
        const spellings = vatSpellings(one);
        expect(spellings.length).toBeLessThanOrEqual(2);
        for (const value of spellings) expect(sameIdentifier('vat', one, { value, country: iso })).toBe('equal');
      }),
      { numRuns: 500 },
    );
  });
});

describe('phone numbers of any digits', () => {
  it('are never the same if their digits differ', () => {
    const phone = fc.tuple(fc.constantFrom('+44', '+45', '+49', '+1', '+33'), digits(9)).map((parts) => parts.join(''));
    fc.assert(
      fc.property(phone, phone, (a, b) => {
        fc.pre(a !== b);
        const strip = (text: string) => text.replace(/^(\+(?:44|49|33|1))0+/, '$1');
        fc.pre(strip(a) !== strip(b));
        expect(sameIdentifier('phone', { value: a }, { value: b })).not.toBe('equal');
      }),
    );
  });
});

it('name the versions of their packages in the macros, so that a new version changes the models', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> };
  const macros = readFileSync('sql/macros/match.sql', 'utf8');
  for (const name of ['libphonenumber-js', 'social-link-parser', 'stdnum', 'tldts'])
    expect(macros).toContain(`${name} ${dependencies[name]}`);
});
