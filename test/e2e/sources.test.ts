import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import type { Project } from '../helpers/project.js';
import { TODAY } from '../helpers/processes.js';
import { tidemarkIn } from '../helpers/run-cli.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 120, tenders: 0, seed: 5, maxPerPage: 25 };
const DETAILS = 'GET /v1/finder/company/details';
const TICKER = 'GET /v2/financial/ticker';
const CONTACTS = 'GET /v2/metrics/contacts';
const dayBefore = (days: number): string => new Date(Date.parse(TODAY) - days * 86_400_000).toISOString().slice(0, 10);
const LAST_DAYS = [dayBefore(2), dayBefore(1), TODAY];

let system: System;
let project: Project;
let configured: string[];
let unreadable: string[];
/** A ticker that only the list of `tidemark resolve` names. */
let matched: string;
let first: RunResult;

beforeAll(async () => {
  system = await startSystem({ market: MARKET, worker: null });
  const tickers = system.api.tickers();
  unreadable = tickers.unreadable.slice(0, 2);
  // A search by ticker in the United States would need a state.
  const found = tickers.readable.find(({ country }) => country !== 'US')!;
  matched = found.ticker;
  configured = tickers.readable.map(({ ticker }) => ticker).filter((ticker) => ticker !== matched);
  project = system.addProject({
    markets: [
      {
        name: 'demo',
        streams: ['companies', 'financials', 'companies_v1', 'financials_ticker'],
        tickers: [...configured, ...unreadable, 'NONE-SUCH'],
      },
    ],
  });
  system.project = project;
  await system.startWorker();
  await system.api.useContacts();
  mkdirSync(path.join(project.dataDir, 'resolve'), { recursive: true });
  writeFileSync(path.join(project.dataDir, 'resolve', 'list.csv'), `ticker,country\n${matched},${found.country}\n`);
  await system.run('resolveCompanies', 'resolve/list', { file: 'resolve/list.csv' });
  first = await system.run('marketSnapshot', 'snapshot/demo/first');
});
afterAll(() => system?.stop());

it('stores every company record of version 1 and its differences from version 2', async () => {
  expect(first.outcome).toBe('complete');
  await system.api.expectCompaniesV1EqualTruth(project);
});

it('stores the reports of configured and matched tickers, and rejects answers of another shape once', async () => {
  await system.api.expectTickersEqualTruth(project, [...configured, matched]);
  const known = await project.query(
    `SELECT ticker, company_id IS NOT NULL AS has_company FROM core.tickers WHERE is_matched ORDER BY ALL`,
  );
  expect(known).toEqual([{ ticker: matched, has_company: true }]);
  expect(await project.query('SELECT ticker FROM core.tickers WHERE is_gone')).toEqual([{ ticker: 'NONE-SUCH' }]);
  expect(await project.query('FROM marts.ticker_disagreement')).toEqual([]);
  const compared = `SELECT count(*)::INTEGER AS n FROM core.ticker_financials WHERE company_id IS NOT NULL`;
  expect((await project.query(compared))[0]!['n']).toBeGreaterThan(0);
  expect(await project.query('SELECT stream, entity_id, reason, path FROM ops.rejects ORDER BY entity_id')).toEqual(
    unreadable.toSorted().map((ticker) => ({
      stream: 'financials_ticker',
      entity_id: ticker,
      reason: 'no_report',
      path: '$',
    })),
  );
});

it('reads the contact metrics of today and the two days before', async () => {
  await system.api.expectContactMetricsEqualTruth(project, LAST_DAYS);
  expect(await system.api.requests(CONTACTS)).toBe(3);
});

it("explains the API's count with the requests of the runs alone", async () => {
  const [row] = await project.query(
    `SELECT runs::INTEGER AS runs, difference::INTEGER AS difference, explanation FROM ops.usage_reconciled`,
  );
  expect(row).toEqual({
    runs: 2,
    difference: 0,
    explanation: "The API's count agrees with the request log: it is between requests_least and requests_most.",
  });
  expect(await project.query('SELECT DISTINCT date::VARCHAR AS date FROM ops.usage_daily')).toEqual([{ date: TODAY }]);
});

it('forecasts no request for fresh records and tickers', async () => {
  const { stdout } = await tidemarkIn(project, ['snapshot', '--dry-run', '--json'], {});
  const { streams } = JSON.parse(stdout) as { streams: { stream: string; requests: number }[] };
  const forecast = Object.fromEntries(streams.map(({ stream, requests }) => [stream, requests]));
  // As for reports, the forecast counts one request for each company whose record is gone.
  expect(forecast['companies_v1']).toBe(forecast['financials']);
  expect(forecast['companies_v1']).toBeLessThan(10);
  expect(forecast['financials_ticker']).toBe(unreadable.length);
  expect(forecast['contact_metrics']).toBeLessThanOrEqual(2);
});

it('asks again only for what has no readable answer or no final day', async () => {
  const before = [await system.api.requests(DETAILS), await system.api.requests(TICKER)];
  await system.run('marketSnapshot', 'snapshot/demo/again');
  expect(await system.api.requests(DETAILS)).toBe(before[0]);
  expect(await system.api.requests(TICKER)).toBe(before[1]! + unreadable.length);
  expect(await system.api.requests(CONTACTS)).toBeLessThanOrEqual(5);
  await system.api.expectContactMetricsEqualTruth(project, LAST_DAYS);
});

it('reads the contact metrics of past days once, by a past-dated snapshot or a backfill', async () => {
  const before = await system.api.requests(CONTACTS);
  await system.run('marketSnapshot', 'snapshot/demo/past', { date: '2026-01-15' });
  const span = { from: '2026-01-14', to: '2026-01-16', streams: ['contact_metrics'] };
  await system.run('backfill', 'backfill/one', span);
  const again = await system.run('backfill', 'backfill/two', span);
  expect(again.outcome).toBe('complete');
  expect(await system.api.requests(CONTACTS)).toBe(before + 3);
  const past = ['2026-01-14', '2026-01-15', '2026-01-16'];
  await system.api.expectContactMetricsEqualTruth(project, [...past, ...LAST_DAYS]);
  expect(await project.query('SELECT count(*)::INTEGER AS n FROM ops.contact_metrics WHERE is_final')).toEqual([
    { n: new Date().getUTCHours() < 12 ? 4 : 5 },
  ]);
});

it('builds the same tables again from the landing zone', async () => {
  const tables = [
    'core.companies_v1',
    'core.companies_v1_history',
    'core.tickers',
    'core.ticker_financials',
    'marts.companies_disagreement',
    'ops.contact_metrics',
    'ops.usage_daily',
    'ops.usage_reconciled',
  ];
  const dump = (): Promise<unknown[]> =>
    Promise.all(tables.map((table) => project.query(`FROM ${table} ORDER BY ALL`)));
  const before = await dump();
  await system.run('rebuildWarehouse', 'rebuild/all', {});
  expect(await dump()).toEqual(before);
});
