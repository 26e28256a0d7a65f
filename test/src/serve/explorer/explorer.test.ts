import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
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
  TenderAnswer,
  TendersAnswer,
} from '../../../../schemas/explorer/api.js';
import {
  companyBody,
  publishAnswers,
  publishTwoNights,
  startTestExplorer,
  twoNights,
  type TestExplorer,
} from '../../../helpers/explorer.js';
import { waitUntil } from '../../../helpers/sandbox.js';
import { marketNight, type Answer } from '../../../helpers/warehouse.js';
import { BuildPool, currentIn } from '../../../../src/serve/explorer/data/build-pool.js';
import type { OpenBuild } from '../../../../src/serve/explorer/data/open-build.js';
import type { Read } from '../../../../src/warehouse/builds/reader.js';
import { SearchIndex } from '../../../../src/serve/explorer/data/search-index.js';
import { listQuery, type ListFilter } from '../../../../ui/src/lib/list-query.js';
import { calendarQuery, TENDER_FILTERS, tenderQuery, type TenderFilter } from '../../../../ui/src/lib/tender-query.js';

const NAMES = ['', 'Öresund Bygg AB', 'Bygg & Öl', 'Société Générique', "O'Neill (Nord)", 'Straße 5'];
const TENDER_NAMES: Record<number, string> = { 11: 'Road', 12: 'École', 13: 'Old', 15: 'Fund' };

const NO_FILTER: ListFilter = {
  market: '',
  country: '',
  industry: '',
  legal_form: '',
  status: '',
  size: '',
  employees_from: '',
  employees_to: '',
  growth: '',
  moved: '',
  date: '',
};

let dataDir: string;
let explorer: TestExplorer;

beforeAll(async () => {
  dataDir = await publishTwoNights((id) => NAMES[id] ?? TENDER_NAMES[id] ?? '');
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

  it('finds the same right after the start, and without texts in memory', async () => {
    const scratch = mkdtempSync(path.join(tmpdir(), 'tidemark-search-'));
    const pool = new BuildPool(currentIn(dataDir), scratch);
    try {
      await pool.use(async (build) => {
        const withoutMemory: Read = async (work, signal) =>
          build.read(
            async (reader) =>
              work({
                async rows(sql, params) {
                  if (sql.startsWith('CREATE')) throw new Error('Out of Memory Error');
                  return reader.rows(sql, params);
                },
              }),
            signal,
          );
        for (const index of [build.search, new SearchIndex(withoutMemory, build.tables)])
          for (const [q, ids] of cases) {
            const hits = await index.find(q, 50);
            expect(hits.map(({ company_id: id }) => Number(id)).toSorted((a, b) => a - b)).toEqual(
              ids.toSorted((a, b) => a - b),
            );
          }
      });
    } finally {
      await pool.close();
      rmSync(scratch, { recursive: true, force: true });
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

it('lists the companies of a status', async () => {
  const { breakdown } = await explorer.json<MarketsAnswer>('/api/v1/markets');
  expect(breakdown.filter(({ by }) => by === 'status')).toMatchObject([{ value: 'Active', companies: 4 }]);
  const list = async (filter: Partial<ListFilter>): Promise<unknown[]> => {
    const sql = listQuery({ ...NO_FILTER, ...filter }, { id: 'name', desc: false });
    const body = { id: 'list-of-status', sql, rows: 100, seconds: 30 };
    return (await explorer.post<QueryAnswer>('/api/v1/query', body)).rows.map(([id]) => id);
  };
  expect(new Set(await list({ status: 'Active' }))).toEqual(new Set([1, 3, 4, 5]));
  expect(await list({ status: 'Inactive' })).toEqual([]);
  expect(await list({ status: 'Inactive', moved: 'left' })).toEqual([2]);
});

it('lists the companies that moved with the reason', async () => {
  const list = async (filter: Partial<ListFilter>): Promise<unknown[]> => {
    const sql = listQuery({ ...NO_FILTER, ...filter }, { id: 'reason', desc: true });
    const body = { id: 'list-of-moves', sql, rows: 100, seconds: 30 };
    const { columns, rows } = await explorer.post<QueryAnswer>('/api/v1/query', body);
    return rows.map((row) => [row[0], row[columns.findIndex(({ name }) => name === 'reason')]]);
  };
  expect(await list({ moved: 'left' })).toEqual([[2, 'inactive']]);
  expect(await list({ moved: 'left', market: 'm', date: '2026-11-21' })).toEqual([[2, 'inactive']]);
  expect(await list({ moved: 'left', date: '2026-11-20' })).toEqual([]);
  expect(await list({ moved: 'entered' })).toEqual([[5, 'new']]);
});

it('says which years and how many companies a growth compares', async () => {
  const { breakdown } = await explorer.json<MarketsAnswer>('/api/v1/markets');
  const [group] = breakdown.filter(({ by }) => by === 'country');
  expect(group).toMatchObject({
    with_turnover: 1,
    with_growth: 1,
    with_growth_eur: 1,
    growth_from: 2024,
    growth_to: 2024,
  });
  expect(group?.growth_median).toBeCloseTo(120 / 90 - 1);
  expect(group?.growth_of_sum).toBeCloseTo(120 / 90 - 1);
});

it('counts the companies in one market as in all markets, also after an incomplete night', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-incomplete-'));
  const third: Answer[] = [
    ...marketNight({ run: 'r3', date: '2026-11-22', ids: [1, 3], missing: 2 }),
    {
      run: 'r3',
      date: '2026-11-22',
      market: 'm',
      stream: 'financials',
      entity: '3',
      at: '2026-11-22T02:30:00Z',
      body: { 2024: { Turnover: 50, Currency: 'NOK' }, 2025: { Turnover: 60, Currency: 'NOK' } },
    },
  ];
  await publishAnswers(folder, [...twoNights((id) => `Company ${id}`), ...third], 'r3', '2026-11-22T04:00:00Z');
  const after = await startTestExplorer(folder);
  try {
    const all = await after.json<MarketsAnswer>('/api/v1/markets');
    expect(all.nights.at(-1)).toMatchObject({ companies: 2, is_complete: false });
    // The turnover in NOK has no rate, so it counts only for the median.
    expect(all.breakdown.filter(({ by }) => by === 'country')).toMatchObject([
      { companies: 4, with_turnover: 1, with_growth: 2, with_growth_eur: 1, growth_from: 2024, growth_to: 2025 },
    ]);
    expect((await after.json<MarketsAnswer>('/api/v1/markets?market=m')).breakdown).toEqual(all.breakdown);
    const sql = listQuery({ ...NO_FILTER, market: 'm' }, { id: 'name', desc: false });
    const body = { id: 'list-of-m-1', sql, rows: 100, seconds: 30 };
    expect((await after.post<QueryAnswer>('/api/v1/query', body)).rows.map(([id]) => id)).toEqual([1, 3, 4, 5]);
  } finally {
    await after.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('tenders', () => {
  const list = async (filter: Partial<TenderFilter>): Promise<unknown[]> => {
    const none = Object.fromEntries(TENDER_FILTERS.map(([key]) => [key, '']));
    const sql = tenderQuery({ ...none, ...filter } as TenderFilter);
    const body = { id: 'tender-list-1', sql, rows: 100, seconds: 30 };
    return (await explorer.post<QueryAnswer>('/api/v1/query', body)).rows.map(([slug]) => slug);
  };

  const cases: [Partial<TenderFilter>, string[]][] = [
    [{}, ['t-road', 't/école?']],
    [{ stage: 'all' }, ['t-old', 't-road', 't/école?']],
    [{ stage: 'closed' }, ['t-old']],
    [{ q: 'resurfacing ROAD' }, ['t-road']],
    [{ q: 'ecole' }, ['t/école?']],
    [{ country: 'Norway' }, ['t-road', 't/école?']],
    [{ country: '(none)', stage: 'all' }, ['t-old']],
    [{ industry: 'Roads' }, ['t-road']],
    [{ donor: 'Fund' }, ['t-road']],
    [{ status: 'Forecast' }, ['t/école?']],
    [{ type: 'Tender' }, ['t-road']],
    [{ from: '2026-12-09', to: '2026-12-09' }, ['t-road']],
    [{ from: '2026-12-10' }, []],
    [{ from: 'soon' }, []],
  ];
  it.each(cases)('lists those of %j', async (filter, slugs) => {
    expect(await list(filter)).toEqual(slugs);
  });

  it('counts them by filter and by deadline', async () => {
    const { facets, pipeline } = await explorer.json<TendersAnswer>('/api/v1/tenders');
    expect(facets.filter(({ by }) => by === 'country')).toEqual([
      { by: 'country', value: 'Norway', tenders: 2 },
      { by: 'country', value: 'Sweden', tenders: 1 },
      { by: 'country', value: null, tenders: 1 },
    ]);
    expect(facets.filter(({ by }) => by === 'donor')).toEqual([
      { by: 'donor', value: 'Fund', tenders: 1 },
      { by: 'donor', value: null, tenders: 2 },
    ]);
    expect(pipeline).toEqual({
      read_on: '2026-11-21',
      tenders: 3,
      open_tenders: 2,
      in_7_days: 0,
      in_30_days: 1,
      without_deadline: 1,
    });
    const none = Object.fromEntries(TENDER_FILTERS.map(([key]) => [key, ''])) as unknown as TenderFilter;
    const body = { id: 'calendar-1', sql: calendarQuery(none, '2026-12'), rows: 100, seconds: 30 };
    expect((await explorer.post<QueryAnswer>('/api/v1/query', body)).rows).toEqual([
      ['2026-12-09', 1, [{ slug: 't-road', title: 'Road' }]],
      [null, 1, [{ slug: 't/école?', title: 'École' }]],
    ]);
  });

  it('shows the text, donors, attachments and versions of one', async () => {
    const found = await explorer.json<TenderAnswer>('/api/v1/tender?slug=t-road');
    expect(found).toMatchObject({
      tender: {
        is_open: true,
        days_left: 18,
        description_text: 'Résurfacing of a road',
        deadline_at: expect.any(String),
      },
      donors: [{ position: 1, name: 'Fund', tenders: 1 }],
      attachments: [{ url: 'https://files.example/plan.pdf' }, { url: 'javascript:alert(2)' }],
      contacts: [{ kind: 'email', type: 'email', name: null }],
    });
    expect(found.versions).toHaveLength(1);
    expect(found.tender).not.toHaveProperty('description_html');
    const other = await explorer.json<TenderAnswer>(`/api/v1/tender?slug=${encodeURIComponent('t/école?')}`);
    expect(other.tender).toMatchObject({ title: 'École', deadline_date: null, is_open: true });
    expect((await explorer.ask('/api/v1/tender?slug=none')).status).toBe(404);
    expect((await explorer.ask('/api/v1/tender')).status).toBe(400);
  });
});

it('shows runs, coverage and models, and that no Temporal server answers', async () => {
  const facts = await explorer.json<OperationsAnswer>('/api/v1/operations');
  expect(facts.runs.map((run) => run['workflow_id'])).toEqual(['snapshot/m/2026-11-21', 'snapshot/m/2026-11-20']);
  expect(facts.coverage).toMatchObject([{ market: 'm', missing: 0, reported_total: 4 }]);
  expect(facts.models.length).toBeGreaterThan(50);
  expect(facts.receipt).toMatchObject({ run: 'r2' });
  expect(await explorer.json<LiveAnswer>('/api/v1/live')).toMatchObject({ reachable: false });
});

it('counts each company of the searches once', async () => {
  const { segments } = await explorer.json<OperationsAnswer>('/api/v1/operations');
  const counts = segments.map((one) => [one['segment'], one['total_reported'], one['distinct_companies']]);
  expect(counts).toEqual([
    ['root/b', 8, 2],
    ['root/a', 4, 4],
    ['root/b/c', 3, 3],
    ['root', 1, 1],
  ]);
});

it('closes an idle build, and opens it again for the next request', async () => {
  const scratch = mkdtempSync(path.join(tmpdir(), 'tidemark-idle-'));
  const pool = new BuildPool(currentIn(dataDir), scratch, 20);
  const current = async (): Promise<OpenBuild> => pool.use(async (build) => build);
  try {
    const first = await current();
    const held = await pool.use(async (build) => {
      // Longer than the idle time: a request in progress keeps its build.
      await waitUntil('the pool opened another build', async () => (await later()) !== build);
      return build.read(async (reader) => reader.rows('SELECT count(*) AS n FROM core.companies'));
    });
    expect(held).toEqual([{ n: 5 }]);
    expect((await current()).name).toBe(first.name);
  } finally {
    await pool.close();
    rmSync(scratch, { recursive: true, force: true });
  }

  async function later(): Promise<OpenBuild> {
    await new Promise((resolve) => setTimeout(resolve, 40));
    return current();
  }
});

it('says whether the search is being prepared', async () => {
  await waitUntil(
    'the search is prepared',
    async () => !(await explorer.json<SearchAnswer>('/api/v1/search?q=')).preparing,
  );
  expect(await explorer.json<About>('/api/v1/about')).toMatchObject({ search_ready: true });
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
