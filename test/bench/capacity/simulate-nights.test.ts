import fc from 'fast-check';
import { expect, it } from 'vitest';
import { simulateNights, type Market } from '../../../bench/capacity/simulate-nights.js';

const market = fc.record({
  companies: fc.integer({ min: 1, max: 100_000 }),
  perPage: fc.integer({ min: 1, max: 100 }),
  refreshDays: fc.record({ companies: fc.integer({ min: 1, max: 40 }), financials: fc.integer({ min: 1, max: 40 }) }),
  enteredShare: fc.double({ min: 0, max: 0.2, noNaN: true }),
  quota: fc.integer({ min: 1, max: 500_000 }),
}) satisfies fc.Arbitrary<Market>;

const firstNight = ({ companies, perPage }: Market): number => Math.ceil(companies / perPage) + 2 * companies;
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

it('never sends more calls than the quota, and never has more faults than records', () => {
  fc.assert(
    fc.property(market, (of) => {
      for (const { calls, missing, stale } of simulateNights(of, 100)) {
        expect(calls).toBeLessThanOrEqual(of.quota);
        expect(Math.min(calls, missing, stale)).toBeGreaterThanOrEqual(0);
        expect(missing + stale).toBeLessThanOrEqual(2 * of.companies);
      }
    }),
  );
});

it('ends the first night when the quota allowed all its calls', () => {
  fc.assert(
    fc.property(market, (generated) => {
      const of = { ...generated, enteredShare: 0 };
      const wanted = Math.ceil(firstNight(of) / of.quota);
      fc.pre(wanted <= 300);
      const days = simulateNights(of, wanted + 1);
      expect(days.findIndex(({ ended }) => ended) + 1).toBe(wanted);
      expect(sum(days.slice(0, wanted).map(({ calls }) => calls))).toBe(firstNight(of));
      expect(days[wanted - 1]?.missing).toBe(0);
    }),
  );
});

it('fetches each record once in each refresh if the quota is large enough', () => {
  fc.assert(
    fc.property(market, ({ companies, perPage, refreshDays }) => {
      const of = { companies, perPage, refreshDays, enteredShare: 0, quota: 1e9 };
      const period = refreshDays.companies * refreshDays.financials;
      const days = simulateNights(of, period + 1);
      for (const { missing, stale, ended } of days) expect([missing, stale, ended]).toEqual([0, 0, true]);
      const wanted =
        period * Math.ceil(companies / perPage) + companies * (refreshDays.financials + refreshDays.companies);
      expect(sum(days.slice(1).map(({ calls }) => calls))).toBe(wanted);
    }),
    { numRuns: 30 },
  );
});

it('uses the whole quota and keeps stale records if the quota is too small', () => {
  const of = {
    companies: 10_000,
    perPage: 100,
    refreshDays: { companies: 10, financials: 10 },
    enteredShare: 0,
    quota: 1_000,
  };
  const days = simulateNights(of, 400).slice(-100);
  expect(sum(days.map(({ calls }) => calls)) / 100).toBeGreaterThan(900);
  expect(Math.min(...days.map(({ stale }) => stale))).toBeGreaterThan(0);
});
