import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activities, crawlMarket, employees, incorporation, legalForms, remainder, turnover } from './crawl.js';
import { generateCompanies } from './generate.js';
import { SimulatedMarket } from './simulated-market.js';

const RECORDS = 6_000;
const PRICE = 3;

/** A market of 3,000 companies, ten a page, in which 5 % have no date. `limit`: requests that the night may send. */
async function crawl(share: number, records = 0, limit: number | null = null) {
  const shape = { companies: 3_000, seed: 21, withoutIncorporation: 0.05, legalForms: 4, countries: 2 };
  const market = new SimulatedMarket(generateCompanies(shape), { maxSize: 10 });
  const { requests, coverage } = await crawlMarket(market, { remainder: remainder(share, records, limit) });
  return { requests, missing: coverage.missing, why: coverage.why };
}

const none = await crawl(0);
const few = await crawl(0.05);

describe('requests for companies that are hard to find', () => {
  it('looks for none of them with 0 %', () => {
    expect(none.missing).toBe(165);
    expect(none.requests).toBeLessThan(few.requests);
    expect(none.why[0]?.reason).toContain('were not searched');
  });

  it('finds more of them in a night that fetches many records', async () => {
    const many = await crawl(0.05, RECORDS);
    expect(many.missing).toBeLessThan(few.missing);
    const found = none.missing - many.missing;
    expect(many.requests - none.requests).toBeLessThanOrEqual(0.05 * (none.requests + RECORDS) + PRICE * found);
  });

  it('finds more of them with a larger share', async () => {
    const [more, all] = [await crawl(0.1, RECORDS), await crawl(1)];
    expect(more.missing).toBeLessThanOrEqual((await crawl(0.05, RECORDS)).missing);
    expect(all.missing).toBeLessThanOrEqual(more.missing);
    expect(all.missing).toBeLessThan(few.missing);
  });

  it.each([
    ['the records need the rest of the quota', none.requests + RECORDS],
    ['the night takes several days', 1_000],
    ['no quota is left', 0],
  ])('leaves the reserve of the quota alone: %s', async (_, limit) => {
    const limited = await crawl(0.05, RECORDS, limit);
    expect(limited.requests).toBeLessThan((await crawl(0.05, RECORDS)).requests);
    const found = none.missing - limited.missing;
    expect(limited.requests - none.requests).toBeLessThanOrEqual(PRICE * found);
  });

  it('names companies that are too expensive with their filters, count and cost', () => {
    const [gap] = few.why;
    expect(few.why.reduce((sum, { missing }) => sum + missing, 0)).toBeGreaterThanOrEqual(few.missing);
    expect(gap?.filters).not.toEqual({});
    expect(gap?.reason).toMatch(
      /not found, because each would cost more than 3 requests, and `remainder` allows no more/,
    );
    expect(gap).toMatchObject({
      code: 'too_expensive',
      values: { limit: PRICE, further: [{ requests: expect.any(Number), companies: expect.any(Number) }] },
    });
  });

  it('offers no further search that it already made, also in the reasons of segments above', async () => {
    const companies = generateCompanies({ companies: 900, seed: 1, withoutIncorporation: 0.05 });
    for (const company of companies) company.activities = [company.id % 3 === 0 ? 1 : 1 + ((company.id >> 2) % 3)];
    const overlapping = { ...activities, values: Array.from({ length: 30 }, (_, i) => i + 1) };
    const { coverage } = await crawlMarket(new SimulatedMarket(companies, { maxSize: 10 }), {
      dimensions: [overlapping, incorporation, employees, turnover],
      remainder: remainder(0.05, RECORDS),
    });
    expect(coverage.why).toHaveLength(1);
    expect(coverage.why[0]?.split_by).toEqual(['activity_type']);
    expect(coverage.why[0]?.also).toEqual([
      expect.objectContaining({ segment: expect.stringMatching(/^root\/activity_type=\d+$/) as string }),
    ]);
    expect(JSON.stringify(coverage.why)).not.toContain('too_expensive');
  });

  it('never finds fewer companies with more records', async () => {
    const shapes = fc.record({
      companies: fc.integer({ min: 200, max: 3_000 }),
      seed: fc.nat(1_000),
      withoutIncorporation: fc.constantFrom(0, 0.02, 0.1),
      legalForms: fc.constantFrom(1, 4, 13),
      countries: fc.constantFrom(1, 5, 30),
    });
    await fc.assert(
      fc.asyncProperty(shapes, fc.constantFrom(10, 25), async (shape, maxSize) => {
        const market = new SimulatedMarket(generateCompanies(shape), { maxSize });
        const missing = async (records: number) =>
          (await crawlMarket(market, { remainder: remainder(0.05, records) })).coverage.missing;
        expect(await missing(RECORDS)).toBeLessThanOrEqual(await missing(0));
      }),
      { numRuns: 40 },
    );
  });
});

it('spends no request on companies that are hard to find when every company has a value', async () => {
  const market = new SimulatedMarket(generateCompanies({ companies: 2_000, seed: 3 }), { maxSize: 10 });
  const search = (records: number) =>
    crawlMarket(market, { dimensions: [legalForms], remainder: remainder(0.05, records) });
  expect((await search(RECORDS)).requests).toBe((await search(0)).requests);
});
