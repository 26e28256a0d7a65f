import { afterEach, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

// Every stream that a market can name, compared with the truth of the server.
const COMPANIES = Number(process.env['TIDEMARK_TEST_COMPANIES'] ?? 5_000);
const KILLS = 10;
// A killed worker is noticed after its heartbeats stop, and later attempts wait up to a minute.
const LIMIT_MS = 3_600_000;
// With smaller pages, the independent server has companies that no search can reach.
const MARKET = { companies: COMPANIES, tenders: 50, seed: 5, maxPerPage: 100 };
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
    markets: [{ name: 'demo', streams: STREAMS, tickers, remainder: 1 }],
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
  expect([tenders.outcome, night.outcome], night.notes.join('\n')).toEqual(['complete', 'complete']);
  await expectAllEqualTruth();
});

it(`stores the same when the worker is killed ${KILLS} times`, { timeout: LIMIT_MS }, async () => {
  await begin();
  const tenders = await system.run('tenderSnapshot', 'tenders/first');
  const night = await system.start('marketSnapshot', 'snapshot/demo/killed');
  const before = await system.api.requests();
  // All streams together need more than eight requests for each company.
  const step = Math.floor((COMPANIES * 8) / (KILLS + 1));
  for (let strike = 1; strike <= KILLS; strike++) {
    const goal = before + strike * step;
    await waitUntil(`${goal} requests`, async () => (await system.api.requests()) >= goal, {
      everyMs: 200,
      withinMs: 600_000,
    });
    expect((await night.describe()).status.name).toBe('RUNNING');
    await system.worker.stop('SIGKILL');
    await system.startWorker();
  }
  const result = (await night.result()) as RunResult;
  expect([tenders.outcome, result.outcome], result.notes.join('\n')).toEqual(['complete', 'complete']);
  await expectAllEqualTruth();
});
