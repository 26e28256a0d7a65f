import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Running } from './running.js';

let app: Running;
beforeAll(async () => {
  app = await startApp({ companies: 200, tenders: 40 });
});
afterAll(() => app.close());

type Row = Record<string, unknown>;

async function truth(table: string, query = ''): Promise<Row[]> {
  const response = await fetch(`${app.url}/_sandbox/truth/${table}${query}`);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const text = await response.text();
  expect(text === '' || text.endsWith('\n')).toBe(true);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

const get = async (path: string): Promise<{ status: number; body: Row }> => await app.get<Row>(path);

/** Ids that a client finds by a search over all pages. */
async function found(): Promise<number[]> {
  const pages = await Promise.all(
    [1, 2, 3].map((page) =>
      app.send<{ data: { id: number }[] }>('POST', '/v2/prospecting', { page, per_page: 100, filters: {} }),
    ),
  );
  return pages.flatMap(({ body }) => body.data.map(({ id }) => id));
}

function byCompany(rows: Row[]): Map<unknown, Row[]> {
  const groups = new Map<unknown, Row[]>();
  for (const row of rows) groups.set(row['company_id'], [...(groups.get(row['company_id']) ?? []), row]);
  return groups;
}

describe('GET /_sandbox/truth', () => {
  it('lists the truth tables', async () => {
    const { body } = await app.get<{ table: string; grain: string }[]>('/_sandbox/truth');
    expect(body.map(({ table }) => table)).toEqual([
      'companies',
      'financials',
      'financials_v1',
      'tenders',
      'events',
      'employees',
      'executives',
    ]);
  });

  it('returns companies as search and details do when some have left', async () => {
    await app.send('POST', '/_sandbox/day', { day: 0 });
    const before = new Set((await truth('companies')).map((row) => row['company_id']));
    expect(before.size).toBe(200);
    let day = 0;
    let rows: Row[] = [];
    do {
      await app.send('POST', '/_sandbox/day', { day: ++day });
      rows = await truth('companies');
    } while (rows.every(({ exists }) => exists === true));
    expect(rows.map((row) => row['company_id'])).toEqual(await found());
    for (const { company_id, exists, record, name } of rows) {
      const { status, body } = await get(`/v2/companies/${company_id as number}`);
      expect([status, status === 200 ? body : null]).toEqual([exists === true ? 200 : 404, record]);
      expect(name).toEqual(expect.any(String));
    }
    await app.send('POST', '/_sandbox/day', { day: 0 });
  });

  it('returns another day by number or date', async () => {
    const later = await truth('companies', '?day=30');
    expect(await truth('companies', `?day=${app.sandbox.world.dateOf(30)}`)).toEqual(later);
    expect(later).not.toEqual(await truth('companies'));
    await app.send('POST', '/_sandbox/day', { day: 30 });
    expect(await truth('companies')).toEqual(later);
    await app.send('POST', '/_sandbox/day', { day: 0 });
  });

  it('returns every value of every report, in both versions', async () => {
    const values = byCompany(await truth('financials'));
    const valuesV1 = byCompany(await truth('financials_v1'));
    expect(values.size).toBeGreaterThan(50);
    for (const id of app.sandbox.world.companyIds(0)) {
      const rebuilt: Record<string, Row> = {};
      for (const { fiscal_year, indicator, value } of values.get(id) ?? []) {
        (rebuilt[String(fiscal_year)] ??= {})[indicator as string] = value;
      }
      expect(rebuilt).toEqual((await get(`/v2/financial/${id}`)).body);
      const { body } = await app.get<{ reports: { date: number; indicators: Record<string, { value: number }> }[] }>(
        `/v1/finder/company/financial?id=${id}`,
      );
      const told = body.reports.flatMap(({ date, indicators }) =>
        Object.entries(indicators).map(([indicator, { value }]) => [date, indicator, value]),
      );
      const rows = (valuesV1.get(id) ?? []).map(({ date, indicator, value }) => [date, indicator, value]);
      expect(rows).toEqual(told);
    }
  });

  it('returns every tender with its details', async () => {
    const rows = await truth('tenders');
    expect(rows.map(({ slug }) => slug)).toEqual(app.sandbox.world.tenderSlugs(0));
    for (const { project_type, ...tender } of rows) {
      expect(tender).toEqual((await get(`/v1/finder/tenders/details?slug=${tender['slug'] as string}`)).body);
      expect(project_type).toEqual(expect.any(String));
    }
  });

  it('returns the events that a watcher of every company gets', async () => {
    const rows = await truth('events', '?from=-60&day=0');
    const { world } = app.sandbox;
    const told: string[] = [];
    for (const id of world.companyIds(0)) {
      await app.send('POST', `/v2/companies/${id}/watch/start`, {});
      const { body } = await app.get<{ data: { event_type: string; date_created: string }[] }>(
        `/v2/companies/${id}/watch/events?from_date=${world.dateOf(-60)}&per_page=100`,
      );
      told.push(...body.data.map(({ event_type, date_created }) => `${id} ${event_type} ${date_created}`));
    }
    const mine = rows.map(
      (row) => `${String(row['company_id'])} ${String(row['field'])} ${String(row['occurred_at'])}`,
    );
    expect(mine.length).toBeGreaterThan(50);
    expect(mine.toSorted()).toEqual(told.toSorted());
    const today = await truth('events');
    expect(today).toEqual(rows.filter((row) => String(row['occurred_at']).startsWith(world.dateOf(0))));
  });

  it('returns people as each version shows them', async () => {
    const [employees, executives] = [await truth('employees'), await truth('executives')];
    expect(employees.length).toBeGreaterThan(200);
    expect(executives.map((row) => row['executive_id'])).toEqual(employees.map((row) => row['employee_id']));
    for (const { employee_id, company_id: _company, ...person } of employees.slice(0, 40)) {
      expect(person).toEqual((await get(`/v2/employees/${employee_id as number}`)).body);
    }
    for (const { executive_id, company_id: _company, ...person } of executives.slice(0, 40)) {
      expect(person).toEqual((await get(`/v1/finder/executive/details?id=${executive_id as number}`)).body);
    }
    const search = await app.send<{ total_employees: number }>('POST', '/v2/employees', { filters: {} });
    expect(employees).toHaveLength(search.body.total_employees);
  });

  it.each([
    ['/nothing', 404],
    ['/constructor', 404],
    ['/companies?day=soon', 400],
    ['/companies?day=2026-02-30', 400],
    ['/companies?day=99999', 400],
    ['/events?from=', 400],
  ])('refuses the truth path %s', async (path, status) => {
    expect((await get(`/_sandbox/truth${path}`)).status).toBe(status);
  });

  it('refuses truth requests from web pages', async () => {
    const response = await fetch(`${app.url}/_sandbox/truth/companies`, {
      headers: { origin: 'https://page.example' },
    });
    expect(response.status).toBe(403);
  });
});

describe('a long truth table', () => {
  it('streams a long table while serving others, and survives an abort', async () => {
    const large = await startApp({ companies: 20_000, tenders: 0 });
    const gone = new AbortController();
    const response = await fetch(`${large.url}/_sandbox/truth/financials`, { signal: gone.signal });
    const reader = response.body!.getReader();
    const first = await reader.read();
    expect(new TextDecoder().decode(first.value)).toMatch(/^\{"company_id":\d+,"fiscal_year":/);
    expect((await large.get('/v2/metrics')).status).toBe(200);
    gone.abort();
    expect((await large.get('/v2/metrics')).status).toBe(200);
    await large.close();
  });
});
