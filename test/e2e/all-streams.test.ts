import { afterEach, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

// Every stream that a market can name, compared with the truth of the server.
const COMPANIES = Number(process.env['TIDEMARK_TEST_COMPANIES'] ?? 5_000);
const KILLS = 10;
// A killed worker is noticed after its heartbeats stop, and later attempts wait up to a minute.
const LIMIT_MS = 3_600_000;
const MARKET = { companies: COMPANIES, tenders: 50, seed: 5 };
const STREAMS = [
  'companies',
  'financials',
  'financials_v1',
  'companies_v1',
  'executives',
  'employees',
  'ownership',
  'financials_ticker',
];

let system: System;
let tickers: string[];
afterEach(() => system?.stop());

/** Starts the servers and a worker for a market with all streams. */
async function begin(): Promise<void> {
  system = await startSystem({ market: MARKET, worker: null });
  tickers = system.api
    .tickers()
    .readable.slice(0, 200)
    .map(({ ticker }) => ticker);
  system.project = system.addProject({
    personalData: 'contacts',
    markets: [{ name: 'demo', streams: STREAMS, tickers, requestsPerCompany: 100 }],
  });
  await system.startWorker();
}

/** Compares every promised table with the server's truth. */
async function expectAllEqualTruth(): Promise<void> {
  const { api, project } = system;
  await api.expectMarketEqualsTruth(project);
  await api.expectV1FinancialsEqualTruth(project);
  await api.expectCompaniesV1EqualTruth(project);
  await api.expectExecutivesEqualTruth(project);
  await api.expectEmployeesEqualTruth(project);
  await api.expectOwnersEqualTruth(project, false);
  await api.expectTickersEqualTruth(project, tickers);
  await api.expectTendersEqualTruth(project);
}

it('stores all streams of a market as the API has them', { timeout: LIMIT_MS }, async () => {
  await begin();
  const tenders = await system.run('tenderSnapshot', 'tenders/first');
  const night = await system.run('marketSnapshot', 'snapshot/demo/first');
  expect([tenders.outcome, night.outcome]).toEqual(['complete', 'complete']);
  await expectAllEqualTruth();
});

it(`stores the same when the worker is killed ${KILLS} times`, { timeout: LIMIT_MS }, async () => {
  await begin();
  const tenders = await system.run('tenderSnapshot', 'tenders/first');
  const night = await system.start('marketSnapshot', 'snapshot/demo/killed');
  const before = await system.api.requests();
  // All streams together need about 14 requests for each company.
  const step = Math.floor((COMPANIES * 12) / KILLS);
  let kills = 0;
  let ended = false;
  const result = night.result().finally(() => {
    ended = true;
  }) as Promise<RunResult>;
  for (let strike = 1; strike <= KILLS && !ended; strike++) {
    const goal = before + strike * step;
    await waitUntil(`${goal} requests or the end`, async () => ended || (await system.api.requests()) >= goal, {
      everyMs: 200,
      withinMs: 600_000,
    });
    if (ended) break;
    await system.worker.stop('SIGKILL');
    kills++;
    await system.startWorker();
  }
  expect(kills).toBe(KILLS);
  expect([tenders.outcome, (await result).outcome]).toEqual(['complete', 'complete']);
  await expectAllEqualTruth();
});
