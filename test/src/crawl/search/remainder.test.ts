import { beforeAll, describe, expect, it } from 'vitest';
import { searchSandbox } from '../../../helpers/search-sandbox.js';

const search = async (flags: Record<string, number>, market: Record<string, unknown> = {}) => {
  const { coverage, rows } = await searchSandbox({ flags: { companies: 900, seed: 7, ...flags }, market });
  return { requests: rows.length, missing: coverage?.missing ?? NaN, share: coverage?.share };
};
type Found = Awaited<ReturnType<typeof search>>;

describe('markets[].remainder', () => {
  let [none, usual]: Found[] = [];
  beforeAll(async () => {
    none = await search({}, { remainder: '0%' });
    usual = await search({}, {});
  }, 120_000);

  it('spends requests on companies that are hard to find, within its share of the forecast', () => {
    expect(usual!.missing).toBeLessThan(none!.missing);
    // The night also fetches 1,800 records. Each company found may cost three requests more.
    const budget = 0.05 * (none!.requests + 1_800) + 3 * (none!.missing - usual!.missing);
    expect(usual!.requests - none!.requests).toBeLessThanOrEqual(budget);
  });

  it('uses no quota that the records need', async () => {
    const { requests, missing } = await search({ 'daily-limit': 1_500 });
    expect(requests).toBeLessThan(usual!.requests);
    expect(missing).toBeGreaterThanOrEqual(usual!.missing);
  });
});

it('does not state which share of a market it found if the API caps its totals', async () => {
  expect((await search({ 'count-cap': 500 })).share).toBeNull();
});
