import fc from 'fast-check';
import { expect, it } from 'vitest';
import { errorOf, fitCosts, predictNight, type CostName } from '../../../bench/capacity/cost-models.js';
import { largestMarket, planMarket, priceMarket } from '../../../bench/capacity/plan-market.js';
import type { Measurement } from '../../../bench/capacity/read-runs.js';
import { readSettings } from '../../../bench/capacity/settings.js';

const settings = readSettings();
const HEADINGS: Record<string, string[]> = {
  runs: [
    'requests',
    'answers',
    'Temporal events',
    "Temporal's database",
    'landing zone',
    'warehouse file',
    'published file and lake',
  ],
  CPU: ['search', 'plan', 'crawl', 'load', 'models', 'publish', 'other', 'main thread, crawl'],
  memory: ['models', 'publish'],
  copies: ['writes and lists', 'reads', 'sent'],
};

/** Three runs of each size. A figure of a run is linear in its companies, with its own rate. */
function linearRuns(sizes: readonly number[], rate: (kind: string, heading: string) => number): Measurement[] {
  return sizes.flatMap((companies) =>
    (['search', 'first', 'second'] as const).map((kind) => ({
      kind,
      companies,
      figures: Object.fromEntries(
        Object.entries(HEADINGS).flatMap(([table, headings]) =>
          kind === 'search' && table === 'copies'
            ? []
            : headings.map((heading) => [`${table}: ${heading}`, 5 + companies * rate(kind, heading)]),
        ),
      ),
    })),
  );
}

const rates = fc.record({
  search: fc.double({ min: 0.001, max: 1, noNaN: true }),
  more: fc.double({ min: 0.001, max: 9, noNaN: true }),
});

it('predicts runs of any size whose costs are linear', () => {
  fc.assert(
    fc.property(rates, ({ search, more }) => {
      const rate = (kind: string): number => (kind === 'first' ? search + more : search);
      const models = fitCosts(linearRuns([1_000, 10_000], rate));
      const [, first, second] = linearRuns([1_000_000], rate) as [Measurement, Measurement, Measurement];
      for (const name of ['requests', 'events', 'cpu', 'crawlCpu', 'publishPeakMiB', 'copyMiB'] as CostName[])
        expect(errorOf(models, name, first, [])).toBeCloseTo(0, 3);
      expect(errorOf(models, 'laterWarehouseCpu', second, [])).toBeCloseTo(0, 3);
      expect(errorOf(models, 'laterWarehouseCpu', first, [])).toBeUndefined();
    }),
  );
});

it('counts the search of the same folder as a cause of its files', () => {
  const files = (companies: number): Measurement[] => [
    { kind: 'search', companies, figures: { 'landing zone': 1 + 2 * companies } },
    { kind: 'first', companies, figures: { 'landing zone': 1 + 2 * (companies + companies) + 3 * companies } },
  ];
  const models = fitCosts([...files(1_000), ...files(10_000)]);
  const [search, first] = files(1_000_000) as [Measurement, Measurement];
  expect(errorOf(models, 'landingMiB', first, [search])).toBeCloseTo(0, 4);
  expect(predictNight(models, 'landingMiB', 500) / (1 + 2 * 500 + 3 * 500)).toBeCloseTo(1, 4);
});

it('needs and costs more for a larger market, and nothing at prices of 0', () => {
  fc.assert(
    fc.property(rates, fc.integer({ min: 1, max: 1e8 }), fc.integer({ min: 1, max: 4e8 }), ({ search, more }, a, b) => {
      const models = fitCosts(linearRuns([1_000, 10_000], (kind) => (kind === 'first' ? search + more : search)));
      const [small, large] = [a, a + b].map((companies) => planMarket(models, settings, companies));
      for (const name of ['requests', 'workers', 'events', 'warehouseCpu', 'copyWrites', 'landedWrites'] as const)
        expect(large![name]).toBeGreaterThanOrEqual(small![name]);
      const [cheap, dear] = [small!, large!].map((plan) => priceMarket(plan, settings));
      for (const component of ['workers', 'warehouse', 'disk', 'bucketRequests', 'bucketStorage'] as const)
        expect(dear![component].month).toBeGreaterThanOrEqual(cheap![component].month);
      const free = Object.fromEntries(Object.keys(settings.prices).map((name) => [name, 0]));
      const prices = { ...settings.prices, ...free, currency: 'EUR' };
      for (const { first, month } of Object.values(priceMarket(large!, { ...settings, prices })))
        expect([first, month]).toEqual([0, 0]);
    }),
  );
});

it('finds the largest market below a limit', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.01, max: 100, noNaN: true }),
      fc.double({ min: 1, max: 1e9, noNaN: true }),
      (rate, limit) => {
        const most = largestMarket((companies) => rate * companies, limit);
        expect(most * rate).toBeLessThanOrEqual(limit);
        expect((most + 1) * 1.002 * rate).toBeGreaterThan(limit);
      },
    ),
  );
});
