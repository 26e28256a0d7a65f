import { describe, expect, it } from 'vitest';
import { makeCases, makeNights } from '../../bench/planner/cases.js';
import { NONE } from '../../bench/planner/columns.js';
import { measureCase, measureRivals, type Measured } from '../../bench/planner/measure.js';
import { resultTable } from '../../bench/planner/table.js';

const small = makeNights(10_000);
const large = makeNights(100_000);

// Upper bound: requests ÷ (companies found ÷ page size). Lower bounds: the share found of the companies with a date,
// and of all. `npm run bench -- planner` prints these figures. The seeds are fixed, so the figures are exact.
const FIGURES: [nights: typeof small, pageSize: number, name: string, eff: number, ofKnown: number, ofAll: number][] = [
  [small, 10, 'cold, values known', 1.1, 0.999, 0.949],
  [small, 10, 'warm, values known', 1.04, 0.999, 0.949],
  [small, 10, 'cold, full', 1.95, 0.996, 0.977],
  [small, 10, 'cold, records', 2.66, 0.997, 0.981],
  [small, 10, 'cold, null filter', 1.11, 1, 1],
  [small, 10, 'warm, null filter', 1.05, 1, 1],
  [small, 10, 'cold, version 1', 1.01, 1, 1],
  [small, 50, 'cold, values known', 1.115, 1, 0.949],
  [small, 50, 'warm, values known', 1.03, 1, 0.949],
  [small, 50, 'cold, full', 2.38, 0.999, 0.992],
  [small, 50, 'cold, null filter', 1.13, 1, 1],
  [small, 50, 'warm, null filter', 1.04, 1, 1],
  [small, 50, 'cold, version 1', 1.03, 1, 1],
  [small, 100, 'cold, values known', 1.16, 1, 0.949],
  [small, 100, 'warm, values known', 1.04, 1, 0.949],
  [small, 100, 'cold, full', 2.21, 1, 0.998],
  [small, 100, 'cold, null filter', 1.17, 1, 1],
  [small, 100, 'warm, null filter', 1.05, 1, 1],
  [small, 100, 'cold, version 1', 1.05, 1, 1],
  [large, 100, 'cold, values known', 1.1, 0.999, 0.949],
  [large, 100, 'warm, values known', 1.03, 0.999, 0.949],
  [large, 100, 'cold, null filter', 1.11, 1, 1],
  [large, 100, 'warm, null filter', 1.03, 1, 1],
  [large, 100, 'cold, version 1', 1.01, 1, 1],
];

describe('requests of the planner', () => {
  it.each(FIGURES.map(([nights, ...rest]) => [nights.lastNight.companies, ...rest, nights] as const))(
    'keeps requests and coverage within bounds: %i companies, %i a page, %s',
    async (_, size, name, eff, ofKnown, ofAll, nights) => {
      const some = makeCases(nights).find((candidate) => candidate.name === name)!;
      const measured = await measureCase(nights, size, some);
      console.log(resultTable([measured]).split('\n').at(-1));
      expect(measured.eff).toBeLessThanOrEqual(eff);
      expect(measured.ofKnown).toBeGreaterThanOrEqual(ofKnown);
      expect(measured.ofAll).toBeGreaterThanOrEqual(ofAll);
      expectEveryRequestExplained(measured, size, nights.tonight.companies);
    },
  );
});

/** Checks that full pages and counted waste explain all requests, and that the plan's missing count is exact. */
function expectEveryRequestExplained(
  { requests, waste, missing, ofAll }: Measured,
  size: number,
  companies: number,
): void {
  const wasted = Object.values(waste!).reduce((sum, some) => sum + some, 0);
  const reached = Math.round(ofAll * companies);
  expect(reached / size + wasted).toBeCloseTo(requests, 6);
  expect(missing).toBe(companies - reached);
}

describe('other split strategies', () => {
  it('keeps the recorded request counts of other strategies', () => {
    const lines = measureRivals(small, 50).map(({ name, requests, ofKnown, leaves, overflows, depth }) => [
      name,
      requests,
      ofKnown,
      leaves,
      overflows,
      depth,
    ]);
    expect(lines).toEqual([
      ['binary midpoint', 233, 1, 28, 26, 8],
      ['binary, by difference', 217, 1, 28, 26, 8],
      ['k-way quantile', 219, 1, 38, 9, 3],
      ['fixed grid', 285, 1, 138, 1, 2],
      ['optimum, by days', 191, 1, 20, 0, 1],
    ]);
  });

  it('other strategies miss only companies of days above the page cap', () => {
    const size = 10;
    const counts = new Map<number, number>();
    for (const day of small.tonight.incorporated) counts.set(day, (counts.get(day) ?? 0) + 1);
    const dated = small.tonight.incorporated.indexOf(NONE);
    const hidden = [...counts].slice(0, -1).reduce((sum, [, companies]) => sum + Math.max(0, companies - size * 10), 0);
    expect(hidden).toBeGreaterThan(0);
    for (const { ofKnown } of measureRivals(small, size)) expect(ofKnown).toBeCloseTo(1 - hidden / dated, 12);
  });
});
