import { readFileSync } from 'node:fs';
import { Option } from 'commander';
import { afterEach, describe, expect, it } from 'vitest';
import { readFlags } from '../../sandbox/flags.js';
import type { SandboxOptions } from '../../sandbox/options.js';
import { sandboxOptions, SWITCHES, switchList } from '../../sandbox/switches.js';
import { startApp, type Running } from './running.js';
import { README, withSwitches } from './write-switches.js';

/*
 * Where the reference is silent, a real API may behave either way. Each switch selects the other behaviour, tested from
 * outside. The first line of each test shows the default.
 */

const open: Running[] = [];
afterEach(async () => {
  for (const app of open.splice(0)) await app.close();
});

async function start(options: Partial<SandboxOptions> = {}): Promise<Running> {
  const app = await startApp({ tenders: 30, ...options });
  open.push(app);
  return app;
}

interface List {
  total_companies: number;
  total_pages: number;
  data: { id: number | string; name: string }[];
}
type Filters = Record<string, unknown>;

async function search(
  app: Running,
  filters: Filters = {},
  page = 1,
  per_page = 10,
): Promise<{ status: number; body: List }> {
  return await app.send<List>('POST', '/v2/prospecting', { page, per_page, filters });
}

async function total(app: Running, filters: Filters): Promise<number> {
  return (await search(app, filters)).body.total_companies;
}

async function v1(
  app: Running,
  page: number,
  filters: Filters = {},
): Promise<{ status: number; body: { pages: number; data: unknown[] } }> {
  return await app.send('POST', '/v1/finder/companies', { page, per_page: 10, filters });
}

describe('flags', () => {
  const flags: [flag: string, value: string, option: keyof SandboxOptions, is: unknown][] = [
    ['--page-policy', 'clamp', 'pagePolicy', 'clamp'],
    ['--page-size-policy', 'refuse', 'pageSizePolicy', 'refuse'],
    ['--default-per-page', '7', 'defaultPerPage', 7],
    ['--max-per-page', '20', 'maxPerPage', 20],
    ['--total-pages', 'ten', 'totalPages', 'ten'],
    ['--v1-page-cap', '4', 'v1PageCap', 4],
    ['--count-cap', '10000', 'countCap', 10_000],
    ['--order', 'shuffled', 'order', 'shuffled'],
    ['--ids', 'text', 'ids', 'text'],
    ['--drift', 'field,missing', 'drift', ['field', 'missing']],
    ['--ignore-filter', 'nace,name', 'ignoreFilter', ['nace', 'name']],
    ['--refuse-filter', 'isic', 'refuseFilter', ['isic']],
    ['--bounds', 'half-open', 'bounds', 'half-open'],
    ['--incorporation', 'year', 'incorporation', 'year'],
    ['--incorporation-policy', 'empty', 'incorporationPolicy', 'empty'],
    ['--incorporation-null', 'select', 'incorporationNull', 'select'],
    ['--clones', '50', 'clones', 50],
    ['--event-twins', 'alike', 'eventTwins', 'alike'],
    ['--vat-numbers', 'either', 'vatNumbers', 'either'],
    ['--headers-timeout', '500', 'headersTimeout', 500],
    ['--request-timeout', '900', 'requestTimeout', 900],
  ];

  it.each(flags)('reads the flag %s %s', (flag, value, option, is) => {
    expect(readFlags([flag, value])).toMatchObject({ [option]: is });
    expect(sandboxOptions()[option]).not.toEqual(is);
  });
});

describe('the table of switches', () => {
  it('matches the switch table in the README (if not: npm run sandbox:readme)', () => {
    const readme = readFileSync(README, 'utf8');
    expect(withSwitches(readme)).toBe(readme);
  });

  it('names one flag per option', () => {
    const flags = Object.entries(SWITCHES).map(([option, { flag }]) => [option, new Option(flag).attributeName()]);
    expect(flags.filter(([option, name]) => option !== name)).toEqual([]);
    expect(Object.keys(sandboxOptions()).toSorted()).toEqual(
      [...Object.keys(SWITCHES).filter((option) => option !== 'host' && option !== 'port'), 'keys'].toSorted(),
    );
  });

  it('has switch descriptions that fit into a table cell', () => {
    expect(switchList().filter(({ description }) => description.length > 84)).toEqual([]);
  });

  it('omits options without a flag, as the state file may set them', () => {
    expect(readFlags([])).toEqual({ host: '127.0.0.1', port: 4010 });
  });
});

describe('pages', () => {
  it('sets default and largest page size, and lowers or refuses larger ones', async () => {
    const [usual, other] = [
      await start(),
      await start({ defaultPerPage: 7, maxPerPage: 20, pageSizePolicy: 'refuse' }),
    ];
    const rows = async (app: Running, body: object): Promise<number> =>
      (await app.send<List>('POST', '/v2/prospecting', body)).body.data.length;
    expect(await rows(usual, {})).toBe(10);
    expect(await rows(usual, { per_page: 500 })).toBe(100);
    expect(await rows(other, {})).toBe(7);
    expect(await rows(other, { per_page: 20 })).toBe(20);
    expect(await search(other, {}, 1, 21)).toMatchObject({ status: 400, body: { per_page: [expect.any(String)] } });
    expect(await app1(other)).toMatchObject({ status: 406, body: { data: { param: 'per_page' } } });
    async function app1(app: Running): Promise<unknown> {
      return await app.send('POST', '/v1/finder/companies', { page: 1, per_page: 21, filters: {} });
    }
  });

  it('refuses, clamps or empties pages past the tenth', async () => {
    const [usual, clamp, empty] = [
      await start(),
      await start({ pagePolicy: 'clamp' }),
      await start({ pagePolicy: 'empty' }),
    ];
    for (const route of ['/v2/prospecting', '/v2/employees']) {
      const page = async (app: Running, n: number): Promise<{ status: number; body: List }> =>
        await app.send<List>('POST', route, { page: n, per_page: 5, filters: {} });
      expect(await page(usual, 11)).toMatchObject({ status: 400, body: { page: [expect.any(String)] } });
      const tenth = await page(clamp, 10);
      expect(tenth.body.data).toHaveLength(5);
      expect(await page(clamp, 11)).toMatchObject({ status: 200, body: tenth.body });
      expect(await page(clamp, 400)).toMatchObject({ status: 200, body: tenth.body });
      expect(await page(empty, 11)).toMatchObject({ status: 200, body: { ...tenth.body, data: [] } });
      for (const app of [usual, clamp, empty]) expect((await page(app, 0)).status).toBe(400);
    }
  });

  it('reports all pages, or at most ten', async () => {
    const [usual, ten] = [await start(), await start({ totalPages: 'ten' })];
    expect((await search(usual)).body).toMatchObject({ total_companies: 600, total_pages: 60 });
    expect((await search(ten)).body).toMatchObject({ total_companies: 600, total_pages: 10 });
    expect((await search(ten, {}, 1, 100)).body).toMatchObject({ total_companies: 600, total_pages: 6 });
    expect((await ten.send<List>('POST', '/v2/employees', { filters: {}, per_page: 10 })).body.total_pages).toBe(10);
    const overview = await ten.send<List>('POST', '/v2/overview', { company_status: [199] });
    expect(overview.body.total_pages).toBeGreaterThan(10);
  });

  it('pages version 1 to the end, or to a configured last page', async () => {
    const [usual, capped] = [await start(), await start({ v1PageCap: 4 })];
    expect((await v1(usual, 60)).body).toMatchObject({ pages: 60, data: { length: 10 } });
    expect((await v1(capped, 4)).body).toMatchObject({ pages: 4, data: { length: 10 } });
    expect((await v1(capped, 5)).body).toEqual({ pages: 4, data: [] });
    const executives = { page: 5, per_page: 10, filters: {} };
    expect((await capped.send('POST', '/v1/finder/executives', executives)).body).toEqual({ pages: 4, data: [] });
  });
});

describe('totals', () => {
  it('reports exact totals, or capped ones', async () => {
    const [usual, capped] = [await start(), await start({ countCap: 100 })];
    const few = { company_status: [201] };
    expect(await total(usual, {})).toBe(600);
    expect(await total(capped, {})).toBe(100);
    expect((await search(capped)).body.total_pages).toBe(10);
    expect(await total(capped, few)).toBe(await total(usual, few));
    // More rows exist than the total says.
    expect((await search(capped, {}, 2, 100)).body.data).toHaveLength(100);
    const totals = async (app: Running): Promise<unknown[]> => [
      (await app.send<{ total_results: number }>('POST', '/v2/overview', { company_status: [199] })).body.total_results,
      (await app.send<{ total_employees: number }>('POST', '/v2/employees', { filters: {} })).body.total_employees,
      (await v1(app, 1)).body.pages,
    ];
    for (const value of await totals(usual)) expect(value).toBeGreaterThan(10);
    expect(await totals(capped)).toEqual([100, 100, 10]);
  });
});

describe('incorporation', () => {
  const dates = { company_incorporation: { gte: '2009-01-01', lte: '2010-12-31' } };
  const years = { company_incorporation: { gte: 2009, lte: 2010 } };

  it('filters incorporation by date or year, refusing or ignoring the other', async () => {
    const [usual, byYear] = [await start(), await start({ incorporation: 'year' })];
    const found = await total(usual, dates);
    expect(found).toBeGreaterThan(0);
    expect(await total(byYear, years)).toBe(found);
    for (const [app, wrong] of [
      [usual, years],
      [byYear, dates],
    ] as const) {
      expect(await search(app, wrong)).toMatchObject({
        status: 400,
        body: { company_incorporation: [expect.any(String)] },
      });
    }
    const [dateOnly, yearOnly] = [
      await start({ incorporationPolicy: 'empty' }),
      await start({ incorporation: 'year', incorporationPolicy: 'empty' }),
    ];
    const nothing = { status: 200, body: { total_companies: 0, total_pages: 0, data: [] } };
    expect(await search(dateOnly, years)).toMatchObject(nothing);
    expect(await search(yearOnly, dates)).toMatchObject(nothing);
    expect([await total(dateOnly, dates), await total(yearOnly, years)]).toEqual([found, found]);
  });
});

describe('null for a date of incorporation', () => {
  it('refuses, ignores or applies null as date of incorporation', async () => {
    const nobody = { company_incorporation: null };
    const [usual, ignoring, selecting] = [
      await start(),
      await start({ incorporationNull: 'ignore' }),
      await start({ incorporationNull: 'select' }),
    ];
    expect(await search(usual, nobody)).toMatchObject({
      status: 400,
      body: { company_incorporation: expect.anything() },
    });
    const all = await total(usual, {});
    expect(await total(ignoring, nobody)).toBe(all);
    const dated = await total(usual, { company_incorporation: { gte: '0001-01-01', lte: '9999-12-31' } });
    expect(dated).toBeLessThan(all);
    expect(await total(selecting, nobody)).toBe(all - dated);
  });
});

describe('filters', () => {
  it('applies all filters, or ignores or refuses named ones', async () => {
    const usual = await start();
    const other = await start({ ignoreFilter: ['nace', 'status'], refuseFilter: ['legal_form', 'zip'] });
    const given = { company_status: [199], nace: ['62'] };
    expect(await total(usual, given)).toBeLessThan(await total(usual, { company_status: [199] }));
    expect(await total(other, given)).toBe(await total(usual, { company_status: [199] }));
    expect((await search(usual, { legal_form: [16] })).status).toBe(200);
    expect(await search(other, { legal_form: [16] })).toMatchObject({
      status: 400,
      body: { legal_form: [expect.any(String)] },
    });
    expect((await v1(usual, 1, { status: [201] })).body.pages).toBeLessThan(60);
    expect((await v1(other, 1, { status: [201] })).body.pages).toBe(60);
    expect(await v1(other, 1, { zip: ['1000'] })).toMatchObject({ status: 406, body: { data: { param: 'zip' } } });
  });

  it('rejects an unknown filter name in a switch', async () => {
    await expect(start({ ignoreFilter: ['naec'] })).rejects.toThrow(/naec/);
  });

  it('includes or excludes the bounds of ranges', async () => {
    const [usual, half, outer] = [
      await start(),
      await start({ bounds: 'half-open' }),
      await start({ bounds: 'exclusive' }),
    ];
    const { world } = usual.sandbox;
    const profiles = world.companyIds(0).map((id) => world.profile(id, 0)!);
    const turnovers = profiles.map(({ figures }) => figures.turnover).filter((value) => !Number.isNaN(value));
    const [low, high] = turnovers.toSorted((a, b) => a - b).filter((_, n, { length }) => n === 5 || n === length - 5);
    const inside = turnovers.filter((value) => value > low! && value < high!).length;
    const ends = turnovers.filter((value) => value === low || value === high).length;
    expect(ends).toBe(2);
    const range = { financial_turnover: { gte: low, lte: high } };
    const counts = async (filters: Filters): Promise<number[]> =>
      await Promise.all([usual, half, outer].map((app) => total(app, filters)));
    expect(await counts(range)).toEqual([inside + 2, inside + 1, inside]);
    const spike = profiles.filter(({ incorporation }) => incorporation === '2009-07-01').length;
    expect(spike).toBeGreaterThan(3);
    expect(await counts({ company_incorporation: { gte: '2009-07-01', lte: '2009-07-01' } })).toEqual([spike, 0, 0]);
    const around = { company_incorporation: { gte: '2009-07-01', lte: '2009-07-02' } };
    expect((await counts(around)).slice(1)).toEqual([spike, 0]);
    const employed = profiles.filter(({ employees }) => employees === 1).length;
    expect(employed).toBeGreaterThan(0);
    const known = profiles.filter(({ employees }) => employees !== null).length;
    expect(await counts({ number_of_employees: { gte: 1 } })).toEqual([known, known, known - employed]);
  });
});

describe('order of results', () => {
  const idsOf = async (app: Running, page: number): Promise<number[]> =>
    (await search(app, {}, page, 100)).body.data.map(({ id }) => Number(id));

  it('orders by id, or shuffles by seed and call number', async () => {
    const [usual, shuffled, again] = [
      await start(),
      await start({ order: 'shuffled' }),
      await start({ order: 'shuffled' }),
    ];
    const ascending = await idsOf(usual, 1);
    expect(ascending).toEqual(ascending.toSorted((a, b) => a - b));
    expect(await idsOf(usual, 1)).toEqual(ascending);
    const first = await idsOf(shuffled, 1);
    const second = await idsOf(shuffled, 1);
    expect(new Set(first).size).toBe(100);
    expect(second).not.toEqual(first);
    expect([await idsOf(again, 1), await idsOf(again, 1)]).toEqual([first, second]);
    const pages = new Set<number>();
    for (let page = 1; page <= 6; page++) for (const id of await idsOf(shuffled, page)) pages.add(id);
    // The six pages have 600 rows, but some companies are on two pages.
    expect(pages.size).toBeLessThan(600);
  });

  it('lists every company once in shuffled order', async () => {
    const shuffled = await start({ order: 'shuffled', maxPerPage: 600 });
    const ids = (await search(shuffled, {}, 1, 600)).body.data.map(({ id }) => Number(id));
    expect(ids.toSorted((a, b) => a - b)).toEqual(shuffled.sandbox.world.companyIds(0));
  });
});

describe('ids', () => {
  it('returns ids as documented, or all as numbers or text', async () => {
    const kinds = async (app: Running): Promise<string[]> => {
      const ids = app.sandbox.world.companyIds(0);
      const found = new Set<string>();
      for (const id of ids.slice(0, 60))
        found.add(typeof (await app.get<{ id: unknown }>(`/v2/companies/${id}`)).body.id);
      for (const { id } of (await search(app, {}, 1, 50)).body.data) found.add(typeof id);
      const overview = await app.send<List>('POST', '/v2/overview', { company_status: [199] });
      for (const { id } of overview.body.data) found.add(typeof id);
      const { data } = (await v1(app, 1)).body as { data: { id: unknown }[] };
      for (const { id } of data) found.add(typeof id);
      const people = await app.send<{ data: { company_id: unknown }[] }>('POST', '/v2/employees', { filters: {} });
      for (const { company_id } of people.body.data) found.add(typeof company_id);
      return [...found].toSorted();
    };
    expect(await kinds(await start())).toEqual(['number', 'string']);
    expect(await kinds(await start({ ids: 'number' }))).toEqual(['number']);
    expect(await kinds(await start({ ids: 'text' }))).toEqual(['string']);
  });
});

describe('identical companies', () => {
  it.each([0, 40])('makes clones equal in everything filters see, on day %i', async (day) => {
    const app = await start({ clones: 200, day });
    const { world } = app.sandbox;
    const ids = world.companyIds(day).slice(0, 150);
    const profiles = ids.map((id) => world.profile(id, day)!);
    expect(new Set(profiles.map((profile) => JSON.stringify(profile))).size).toBe(1);
    // The clones have equal profiles, but different register numbers.
    const records = await Promise.all(
      ids.slice(0, 40).map(async (id) => (await app.get<{ registration_number: string }>(`/v2/companies/${id}`)).body),
    );
    const numbers = records.flatMap(({ registration_number }) => registration_number ?? []);
    expect(numbers.length).toBeGreaterThan(30);
    expect(new Set(numbers).size).toBe(numbers.length);
    const others = world
      .companyIds(day)
      .slice(200, 300)
      .map((id) => JSON.stringify(world.profile(id, day)));
    expect(new Set(others).size).toBeGreaterThan(90);
  });

  it('finds all clones by filters that match one, or none', async () => {
    const app = await start({ clones: 200 });
    const { world } = app.sandbox;
    const { status, legalForm, incorporation, country, nace } = world.profile(world.companyIds(0)[0]!, 0)!;
    const one = {
      company_status: [status],
      legal_form: [legalForm],
      nace: [nace],
      ...(incorporation !== null && { company_incorporation: { gte: incorporation, lte: incorporation } }),
    };
    expect(await total(app, one)).toBeGreaterThanOrEqual(200);
    expect(await total(app, { ...one, nace: ['97.00'] })).toBe(0);
    expect(country).toMatch(/^[A-Z]{2}$/);
  });

  it('makes no clones by default, and at most all companies', async () => {
    const usual = await start();
    const { world } = usual.sandbox;
    const profiles = world.companyIds(0).map((id) => JSON.stringify(world.profile(id, 0)));
    expect(new Set(profiles).size).toBe(600);
    await expect(start({ clones: 601 })).rejects.toThrow(/clones/);
  });
});
