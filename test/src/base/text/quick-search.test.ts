import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { quickSearch } from '../../../../src/base/text/quick-search.js';

const needle = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 4,
  maxLength: 40,
});
const text = fc.string({ unit: 'binary', maxLength: 100 });
const cased = (at: string, upper: boolean): string => (upper ? at.toUpperCase() : at.toLowerCase());

it('finds a needle at any place of a text, in any case', () => {
  fc.assert(
    fc.property(
      fc.array(needle, { minLength: 1, maxLength: 5 }),
      fc.nat(4),
      text,
      text,
      fc.boolean(),
      (needles, nth, before, after, upper) => {
        const found = needles[nth % needles.length]!;
        const mayContain = quickSearch(needles);
        expect(mayContain(`${before}${found}${after}`)).toBe(true);
        expect(mayContain(`${before}${cased(found, upper)}${after}`)).toBe(true);
      },
    ),
    { numRuns: 1_000 },
  );
});

it('rules out texts without a part of a needle', () => {
  const mayContain = quickSearch(['a-secret-key', 'YS1zZWNyZXQta2V5']);
  expect(mayContain('Northern Lights A/S, Nørregade 12, 1165 København')).toBe(false);
  expect(mayContain('')).toBe(false);
});

it('rules out nothing if a needle is shorter than four characters', () => {
  expect(quickSearch(['abc', 'a-secret-key'])('x')).toBe(true);
});

it('rules out everything without needles', () => {
  expect(quickSearch([])('any text')).toBe(false);
});
