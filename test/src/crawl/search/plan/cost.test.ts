import { expect, it } from 'vitest';
import type { PlanInput } from '../../../../../src/crawl/search/plan/index.js';
import { activities, crawlMarket, employees, incorporation, legalForms, remainder, turnover } from './crawl.js';
import { generateCompanies, type MarketShape } from './generate.js';
import { SimulatedMarket, type ApiQuirks } from './simulated-market.js';

const PURPOSES = ['calibration', 'guess', 'segment', 'page', 'again', 'final'];

// The simulated markets are seeded, so the number of requests is exact. A change of the planner must not raise it.
const COSTS: [name: string, requests: number, missing: number, Partial<MarketShape>, ApiQuirks, Partial<PlanInput>][] =
  [
    ['all companies dated', 332, 0, {}, {}, {}],
    ['a spike on one day', 345, 0, { spike: 0.1 }, {}, {}],
    ['two values of each kind and a spike', 153, 0, { spike: 0.1, legalForms: 2, countries: 2 }, { maxSize: 25 }, {}],
    ['5 % without a date', 361, 0, { withoutIncorporation: 0.05 }, {}, {}],
    ['5 % without a date, one country', 830, 35, { withoutIncorporation: 0.05, legalForms: 1, countries: 1 }, {}, {}],
    ['5 % without a date, no second pass', 320, 165, { withoutIncorporation: 0.05 }, {}, { remainder: remainder(0) }],
    ['a filter for companies without a date', 338, 0, { withoutIncorporation: 0.05 }, { nullSelects: true }, {}],
    ['filters by year', 342, 0, {}, { dates: 'years' }, {}],
    ['filters by year, as text', 343, 0, {}, { dates: 'year-texts' }, {}],
    ['exclusive bounds', 344, 42, {}, { exclusive: true }, {}],
    ['one value at a time', 355, 0, { spike: 0.1 }, { firstValueOnly: true }, {}],
    ['totals capped', 388, 0, { withoutIncorporation: 0.02 }, { totalsCap: 1_000, maxSize: 25 }, {}],
    ['overlapping values only', 316, 306, { spike: 0.2 }, {}, { dimensions: [activities, incorporation] }],
    ['numbers that many companies lack', 490, 397, {}, {}, { dimensions: [employees, turnover, legalForms] }],
    ['a fixed status', 184, 0, { withoutIncorporation: 0.05 }, {}, { filters: { company_status: [199] } }],
    ['pages that are all full', 9, 0, { companies: 40 }, {}, {}],
    ['version 1', 38, 0, {}, { v1: 'uncapped', maxSize: 100 }, { v1Filters: {} }],
  ];

it.each(COSTS)('plans exactly the recorded number of requests: %s', async (_, requests, missing, shape, api, input) => {
  const companies = generateCompanies({ companies: 3_000, seed: 21, ...shape });
  const purposes = new Set<string>();
  const result = await crawlMarket(new SimulatedMarket(companies, { maxSize: 10, ...api }), input, {
    before: ({ purpose }) => void purposes.add(purpose),
  });
  expect(PURPOSES).toEqual(expect.arrayContaining([...purposes]));
  expect({ requests: result.requests, missing: result.coverage.missing }).toEqual({ requests, missing });
});

it('plans exactly the recorded number of requests on the second night', async () => {
  const companies = generateCompanies({ companies: 3_000, seed: 21, withoutIncorporation: 0.05 });
  const market = new SimulatedMarket(companies, { maxSize: 10 });
  const calibration = (await crawlMarket(market)).plan.calibration();
  const dated = companies.flatMap(({ incorporated }) => (incorporated === null ? [] : [incorporated]));
  const values = [...new Set(dated)]
    .toSorted((a, b) => a - b)
    .map((day): [string, number] => [dayOf(day), dated.filter((one) => one === day).length]);
  const distributions = { [incorporation.key]: { values, without: companies.length - dated.length } };
  const { requests, coverage } = await crawlMarket(market, { known: { calibration, distributions } });
  expect({ requests, missing: coverage.missing }).toEqual({ requests: 349, missing: 0 });
});

function dayOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10);
}
