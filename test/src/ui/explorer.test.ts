import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  About,
  CompanyAnswer,
  LiveAnswer,
  MarketsAnswer,
  OperationsAnswer,
  QueryAnswer,
  SchemaAnswer,
  SearchAnswer,
} from '../../../schemas/explorer/api.js';
import {
  companyBody,
  publishAnswers,
  publishTwoNights,
  startTestExplorer,
  type TestExplorer,
} from '../../helpers/explorer.js';

const NAMES = ['', 'Öresund Bygg AB', 'Bygg & Öl', 'Société Générique', "O'Neill (Nord)", 'Straße 5'];

let dataDir: string;
let explorer: TestExplorer;

beforeAll(async () => {
  dataDir = await publishTwoNights((id) => NAMES[id] ?? '');
  explorer = await startTestExplorer(dataDir);
});
afterAll(async () => {
  await explorer.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const find = async (q: string): Promise<unknown[]> =>
  (await explorer.json<SearchAnswer>(`/api/v1/search?q=${encodeURIComponent(q)}`)).hits.map((hit) => hit.company_id);

describe('search', () => {
  const cases: [string, number[]][] = [
    ['oresund', [1]],
    ['ÖRES', [1]],
    ['bygg', [2, 1]],
    ['bygg or', [1]],
    ['gener soc', [3]],
    ['neill', [4]],
    ['556002', [2]],
    ['55600', [1, 2, 3, 4]],
    ['3', [3]],
    ['resund', []],
    ["' OR 1=1 --", [1]],
    ['%', []],
    ['   ', []],
  ];

  it.each(cases)('finds %j', async (q, ids) => {
    expect(await find(q)).toEqual(ids);
  });

  it('finds the same before its texts are prepared', async () => {
    const other = await startTestExplorer(dataDir);
    try {
      const early = await Promise.all(
        cases.map(async ([q]) => (await other.json<SearchAnswer>(`/api/v1/search?q=${encodeURIComponent(q)}`)).hits),
      );
      expect(early.map((hits) => hits.map(({ company_id: id }) => Number(id)).toSorted((a, b) => a - b))).toEqual(
        cases.map(([, ids]) => ids.toSorted((a, b) => a - b)),
      );
    } finally {
      await other.stop();
    }
  });

  it('refuses a limit that is no number', async () => {
    expect((await explorer.ask('/api/v1/search?q=a&limit=x')).status).toBe(400);
  });
});

describe('company', () => {
  it('shows figures with former values, versions, markets and moves', async () => {
    const company = await explorer.json<CompanyAnswer>('/api/v1/companies/1');
    expect(company.company).toMatchObject({ company_id: 1, name: 'Öresund Bygg AB', registration_number: '556001' });
    expect(company.summary).toMatchObject({ in_market: true, turnover: 120, turnover_currency: 'EUR', employees: 12 });
    expect(company.years.map((year) => [year['fiscal_year'], year['turnover']])).toEqual([
      [2023, 90],
      [2024, 120],
    ]);
    const turnover = company.figures.filter(({ indicator }) => indicator === 'Turnover');
    expect(turnover).toMatchObject([
      { fiscal_year: 2023, value: 90, former: [] },
      { fiscal_year: 2024, value: 120, former: [{ value: 100, valid_from: '2026-11-20T02:30:00Z' }] },
    ]);
    expect(company.markets).toEqual([
      { market: 'm', first_on: '2026-11-20', last_on: '2026-11-21', nights: 2, in_market: true },
    ]);
    expect(company.people).toEqual([]);
    expect(company.owners).toEqual([]);
  });

  it('says when and after which change a company left', async () => {
    const company = await explorer.json<CompanyAnswer>('/api/v1/companies/2');
    expect(company.summary).toMatchObject({ in_market: false, left_on: '2026-11-21' });
    expect(company.moves).toMatchObject([
      { kind: 'left', market: 'm', date: '2026-11-21', field: 'status', old_value: 'Active', new_value: 'Inactive' },
    ]);
    expect(company.versions.map((version) => version['status'])).toEqual(['Inactive', 'Active']);
  });

  it.each(['99', '9999999999999999999', 'x', '1;DROP'])('answers 404 or 400 for the id %s', async (id) => {
    expect([400, 404]).toContain((await explorer.ask(`/api/v1/companies/${encodeURIComponent(id)}`)).status);
  });
});

it('describes tables, columns and functions', async () => {
  const { tables, functions } = await explorer.json<SchemaAnswer>('/api/v1/schema');
  const companies = tables.find(({ table }) => table === 'marts.companies');
  expect(companies).toMatchObject({
    rows: 5,
    columns: expect.arrayContaining([expect.objectContaining({ name: 'in_market' })]),
  });
  expect(functions[0]).toMatchObject({ name: expect.stringMatching(/^core\./), description: expect.any(String) });
  expect(functions.map(({ name }) => name)).toContain('median');
});

it('shows nights and groups of all markets, and of one', async () => {
  const { nights, breakdown } = await explorer.json<MarketsAnswer>('/api/v1/markets');
  expect(nights.map((night) => [night['date'], night['companies'], night['entered'], night['left']])).toEqual([
    ['2026-11-20', 4, null, null],
    ['2026-11-21', 4, 1, 1],
  ]);
  expect(breakdown.filter((group) => group.by === 'country')).toMatchObject([{ value: 'SE', companies: 4 }]);
  expect(breakdown.filter((group) => group.by === 'growth')).toMatchObject([
    { value: null, companies: 3 },
    { value: '20% to 50%', companies: 1, turnover_eur: 120 },
  ]);
  expect((await explorer.json<MarketsAnswer>('/api/v1/markets?market=m')).breakdown).toEqual(breakdown);
  expect((await explorer.json<MarketsAnswer>('/api/v1/markets?market=none')).breakdown).toEqual([]);
});

it('shows runs, coverage and models, and that no Temporal server answers', async () => {
  const facts = await explorer.json<OperationsAnswer>('/api/v1/operations');
  expect(facts.runs.map((run) => run['workflow_id'])).toEqual(['snapshot/m/2026-11-21', 'snapshot/m/2026-11-20']);
  expect(facts.coverage).toMatchObject([{ market: 'm', missing: 0, reported_total: 4 }]);
  expect(facts.models.length).toBeGreaterThan(50);
  expect(facts.receipt).toMatchObject({ run: 'r2' });
  expect(await explorer.json<LiveAnswer>('/api/v1/live')).toMatchObject({ reachable: false });
});

describe('a new build', () => {
  it('serves the next request, and a running query ends on the old one', async () => {
    const count = { sql: 'SELECT count(*) FROM core.companies', rows: 10, seconds: 30 };
    const before = await explorer.json<About>('/api/v1/about');
    // Runs until it is cancelled below.
    const slow = explorer.post<QueryAnswer>('/api/v1/query', {
      id: 'slow-query-1',
      sql: 'SELECT (SELECT count(*) FROM core.companies) AS n, count(*) FROM range(300000) a, range(3000) b',
      rows: 10,
      seconds: 600,
    });
    const name = await publishAnswers(
      dataDir,
      [{ stream: 'companies', entity: '6', run: 'r3', date: '2026-11-22', body: companyBody(6, 'Sixth') }],
      'r3',
      '2026-11-22T04:00:00Z',
    );
    // The publication keeps at least 60 s what readers may have open. Remove it at once: an open file stays readable.
    rmSync(path.join(dataDir, 'published', 'builds', before.build), { recursive: true });
    const after = await explorer.post<QueryAnswer>('/api/v1/query', { ...count, id: 'after-switch' });
    expect(after).toMatchObject({ build: name, rows: [[6]] });
    expect(await find('sixth')).toEqual([6]);
    const old = await slow;
    expect(old).toMatchObject({ build: before.build, rows: [[5, 900_000_000]] });
  });
});
