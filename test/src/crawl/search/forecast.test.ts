import { afterAll, expect, it } from 'vitest';
import { createClock } from '../../../../src/base/time/clock.js';
import { loadConfig } from '../../../../src/config/config.js';
import { openRun } from '../../../../src/crawl/run/open-run.js';
import { forecastMarket } from '../../../../src/crawl/search/forecast.js';
import type { SearchBasis } from '../../../../src/crawl/search/known-market.js';
import { Data } from '../../../../src/store/data.js';
import { makeProject } from '../../../helpers/project.js';
import { generateCompanies } from './plan/generate.js';
import { SimulatedMarket, type ApiQuirks } from './plan/simulated-market.js';

const project = makeProject({ api: { url: 'http://localhost:1', key: 'none' }, temporal: 'none' });
afterAll(() => project.remove());

/** Forecasts the search of a market of 10,007 companies, ten a page. */
async function forecastSearch(quirks: ApiQuirks) {
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const deps = { config, data: new Data(config.dataDir), clock: createClock({}) };
  const ctx = openRun(config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'r', input: {} });
  const past = { search: null, records: {}, tickers: [], requestsPer: {}, latency: {} };
  const known: SearchBasis = { past, distributions: {}, quotaLeft: null };
  const market = new SimulatedMarket(generateCompanies({ companies: 10_007, seed: 1 }), { maxSize: 10, ...quirks });
  const { total, streams } = await forecastMarket(deps, ctx, known, async (request) => market.answer(request));
  return { total, asked: market.requests, search: streams.find(({ stream }) => stream === 'search') };
}

it('forecasts every page of a long list of version 1', async () => {
  const { total, asked, search } = await forecastSearch({ v1: 'uncapped' });
  expect(total).toBe(10_007);
  // All pages, the requests sent so far, and the market's total once more.
  expect(search).toMatchObject({ requests: 1_001 + asked + 1 });
  expect(asked).toBeLessThan(10);
});

it('forecasts a split from probes only', async () => {
  const { asked, search } = await forecastSearch({});
  expect(asked).toBeLessThan(40);
  expect(search?.requests).toBeGreaterThan(1_001);
  expect(search?.basis).toContain('split until its parts can be read');
});
