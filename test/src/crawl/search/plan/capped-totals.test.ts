import { describe, expect, it } from 'vitest';
import { crawlMarket, incorporation, legalForms, statuses } from './crawl.js';
import { SimulatedMarket, type Company } from './simulated-market.js';

const companies = (count: number): Company[] =>
  Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    status: 199 + (index % 3),
    legalForm: 2 + (index % 13),
    country: 1,
    activities: [1],
    incorporated: 7_000 + ((index * 7) % 9_000),
    employees: null,
    turnover: null,
  }));

/** Crawls a market of that many companies whose totals are capped at `totalsCap`. */
const crawl = (count: number, totalsCap: number) =>
  crawlMarket(new SimulatedMarket(companies(count), { maxSize: 25, totalsCap }), {
    dimensions: [incorporation, statuses, legalForms],
  });

describe('capped totals', () => {
  it.each([1_020, 1_080, 1_150])('detects capped totals when parts sum to %i and the whole is 1,000', async (count) => {
    const { plan, coverage, distinct } = await crawl(count, 1_000);
    expect(plan.calibration().totalsCap).toBe(1_000);
    expect(coverage).toMatchObject({ reported_total: count, missing: 0, share: null });
    expect(distinct).toBe(count);
    expect(coverage.why[0]).toMatchObject({
      code: 'totals_capped',
      values: { most: 1_000 },
      reason: 'The API counts at most 1,000 companies in a search. So it is unknown how many are missing.',
    });
  });

  it.each([
    [1_006, 1_000],
    [1_014, 1_000],
  ])('assumes no cap when parts sum to %i and the whole is %i', async (count, totalsCap) => {
    const { plan, distinct } = await crawl(count, totalsCap);
    expect(plan.calibration().totalsCap).toBeNull();
    expect(distinct).toBe(count);
  });

  it.each([
    ['the whole is a round number', 1_080, 1_000, null],
    ['the API lists more than it counts', 1_014, 1_000, null],
    ['no total is capped', 999, 1_000, 1],
    ['the cap equals the number of companies', 1_000, 1_000, 1],
    ['the market fits on ten pages', 240, 1_000, 1],
  ])('states an unknown share unless the total counts all companies: %s', async (_, count, totalsCap, share) => {
    expect((await crawl(count, totalsCap)).coverage.share).toBe(share);
  });

  it.each([
    [999, null],
    [1_000, 1_000],
  ])('keeps a known cap only for a market that reaches it: %i', async (count, kept) => {
    const market = new SimulatedMarket(companies(count), { maxSize: 25 });
    const calibration = (await crawlMarket(market)).plan.calibration();
    const known = { distributions: {}, calibration: { ...calibration, totalsCap: 1_000 } };
    const { plan } = await crawlMarket(market, { known });
    expect(plan.calibration().totalsCap).toBe(kept);
  });

  it.each([600, 1_000, 1_200])(
    'reads all parts when totals are capped at the page cap: %i companies',
    async (count) => {
      const market = new SimulatedMarket(companies(count), { maxSize: 25, totalsCap: 250 });
      const { coverage, distinct } = await crawlMarket(market, { dimensions: [legalForms] });
      expect(distinct).toBe(count);
      expect(coverage.share).toBeNull();
    },
  );
});
