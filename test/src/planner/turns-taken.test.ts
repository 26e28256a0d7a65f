import { describe, expect, it } from 'vitest';
import type { DimensionFacts } from '../../../src/planner/calibration/dimension-facts.js';
import { GOOD_REACH } from '../../../src/planner/calibration/choose-dimension.js';
import type { CrawlState } from '../../../src/planner/crawl-state.js';
import type { Dimension } from '../../../src/planner/index.js';
import { turnsTaken } from '../../../src/planner/rotation.js';

const date: Dimension = { kind: 'range', key: 'since', type: 'date' };
const country: Dimension = { kind: 'categorical', key: 'country', values: [1, 2, 3] };

type Known = Partial<Omit<DimensionFacts, 'splitField'>> & { splitField?: Partial<DimensionFacts['splitField']> };
const DATED: Known = { share: GOOD_REACH, complete: false };

function facts(key: string, { splitField, ...more }: Known = {}): DimensionFacts {
  const filter = (window: object): unknown => window;
  const wide = { key, lo: 0, hi: 2, windows: true, ordered: true, overlapping: false, filter, ...splitField };
  return { share: 1, complete: true, exact: false, counts: [], ...more, splitField: wide } as DimensionFacts;
}

/** The key of the rotation that a crawl with these facts leaves; null when it leaves none. */
function keyOf(
  known: [Dimension, DimensionFacts | null][],
  {
    dimensions = [date, country],
    filters = {},
    nights = 7,
  }: { dimensions?: Dimension[]; filters?: object; nights?: number } = {},
): string | null {
  const state = {
    input: { dimensions, filters, remainderNights: nights },
    facts: new Map(known.map(([dimension, result]) => [dimension, { result }])),
  };
  return turnsTaken(state as unknown as CrawlState, false)?.key ?? null;
}

const byCountry = facts('country');

describe('parts of a rotation', () => {
  it('splits a rotation by values if most companies have a date', () => {
    expect(
      keyOf([
        [date, facts('since', DATED)],
        [country, byCountry],
      ]),
    ).toBe('["country",{"from":0,"to":2},7]');
  });

  it('never splits a rotation by ranges of numbers', () => {
    const staff: Dimension = { kind: 'range', key: 'staff', type: 'integer' };
    const known: [Dimension, DimensionFacts][] = [
      [date, facts('since', DATED)],
      [staff, facts('staff', { splitField: { hi: 9 } })],
    ];
    expect(keyOf(known, { dimensions: [date, staff] })).toBeNull();
    expect(keyOf([...known, [country, byCountry]], { dimensions: [date, staff, country] })).toContain('"country"');
  });

  it.each<[string, Dimension, DimensionFacts | null]>([
    ['every company has a date', date, facts('since', { ...DATED, complete: true })],
    ['too few companies have a date', date, facts('since', { ...DATED, share: GOOD_REACH - 0.01 })],
    ['the range is of numbers', { kind: 'range', key: 'since', type: 'integer' }, facts('since', DATED)],
    ['the dates could not be calibrated', date, null],
  ])('splits no rotation if %s', (_, dimension, result) => {
    expect(
      keyOf(
        [
          [dimension, result],
          [country, byCountry],
        ],
        { dimensions: [dimension, country] },
      ),
    ).toBeNull();
  });

  it.each<[string, DimensionFacts | null, Parameters<typeof keyOf>[1]]>([
    ['leave companies out', facts('country', { complete: false }), {}],
    ['are asked one by one', facts('country', { splitField: { windows: false } }), {}],
    ['overlap', facts('country', { splitField: { overlapping: true } }), {}],
    ['are a single one', facts('country', { splitField: { hi: 0 } }), {}],
    ['could not be calibrated', null, {}],
    ['are no dimension of this crawl', byCountry, { dimensions: [date] }],
    ['are fixed by the filters of the market', byCountry, { filters: { country: 1 } }],
    ['would all be searched in one night', byCountry, { nights: 1 }],
  ])('splits no rotation if the values %s', (_, result, input) => {
    expect(
      keyOf(
        [
          [date, facts('since', DATED)],
          [country, result],
        ],
        input,
      ),
    ).toBeNull();
  });

  it('splits a rotation by the dimension with most values, then by name', () => {
    const form: Dimension = { kind: 'categorical', key: 'form', values: [1, 2, 3, 4] };
    const dated: [Dimension, DimensionFacts] = [date, facts('since', DATED)];
    const dimensions = [date, form, country];
    const of = (hi: number) =>
      keyOf([dated, [form, facts('form', { splitField: { hi } })], [country, byCountry]], { dimensions });
    expect(of(3)).toContain('"form"');
    expect(of(2)).toContain('"country"');
  });
});
