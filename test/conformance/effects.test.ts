import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { ENVELOPES, nameOf, ROUTES, routeNamed } from './reference.js';
import { startConformance, type Conformance, type Given } from './sandbox-calls.js';

let api: Conformance;
beforeAll(async () => {
  api = await startConformance();
});
afterAll(() => api.app.close());

async function body<T = Given>(route: string, given: Given): Promise<T> {
  const answer = await api.ask(route, given);
  expect(String(answer.status), JSON.stringify(answer.body)).toMatch(/^2\d\d$/);
  return answer.body as T;
}

/** Rows of a list's answer, and the totals and pages of its envelope. */
async function list(
  route: string,
  given: Given,
): Promise<{ rows: unknown[]; total: number | null; pages: number | null }> {
  const answer = await body(route, given);
  const rows = (answer['data'] ?? answer['list']) as unknown[];
  const total = Object.entries(answer).find(([name]) => /^total_(?!pages)/.test(name));
  const pages = answer['pages'] ?? answer['total_pages'];
  return {
    rows,
    total: total === undefined ? null : Number(total[1]),
    pages: pages === undefined ? null : Number(pages),
  };
}

const paged = ROUTES.filter(({ parameters }) => parameters.some(({ name }) => name === 'per_page')).map(nameOf);

/** The only parameters to send to a route where a call with all parameters finds too few rows. */
const WIDE: Record<string, string[]> = {
  'POST /v2/overview': ['country_code'],
  'POST /v2/enrichment/employee/search': [],
  'GET /v2/companies/watch': [],
  'GET /v2/companies/{id}/watch/events': ['id', 'from_date'],
};

/** The call of a route without narrowing parameters. */
function wide(route: string): Given {
  const given = api.calls[route]!;
  const kept = WIDE[route] ?? Object.keys(given).filter((name) => !['page', 'per_page'].includes(name));
  return Object.fromEntries(kept.map((name) => [name, given[name]]));
}

describe('page and per_page', () => {
  it('gives every list the parameters page and per_page', () => {
    expect(ROUTES.filter(({ response }) => response !== null && 'envelope' in response).map(nameOf)).toEqual(
      paged.filter((name) => name !== 'POST /api/prospecting'),
    );
    expect(Object.keys(ENVELOPES)).toHaveLength(7);
  });

  it.each(paged)('continues page 1 of %s on page 2', async (route) => {
    const four = await list(route, { ...wide(route), page: 1, per_page: 4 });
    const two = await list(route, { ...wide(route), page: 2, per_page: 2 });
    expect(four.rows).toHaveLength(4);
    expect(new Set(four.rows.map((row) => JSON.stringify(row))).size).toBe(4);
    expect(two.rows).toEqual(four.rows.slice(2));
    expect(two.total).toBe(four.total);
    if (two.pages !== null) {
      if (two.total !== null) expect(two.pages).toBe(Math.ceil(two.total / 2));
      expect([four.pages! * 2, four.pages! * 2 - 1]).toContain(two.pages);
    }
  });
});

/** Values of parameters that narrow a list. Filters have their own tests (filters.test.ts). */
const narrowing = {
  'POST /v2/overview': (): Given => {
    const { page: _page, per_page: _perPage, ...criteria } = api.calls['POST /v2/overview']!;
    return { ...criteria, company_status: [200] };
  },
  'POST /v2/enrichment/employee/search': (): Given => {
    const { page: _page, per_page: _perPage, ...criteria } = api.calls['POST /v2/enrichment/employee/search']!;
    return criteria;
  },
  'GET /v2/companies/watch': (): Given => ({ date: '2026-11-20', fields: ['vat_number'] }),
  'GET /v2/companies/{id}/watch/events': (): Given => ({
    from_date: '2024-01-01',
    to_date: '2024-01-01',
    fields: ['company_phone'],
  }),
  'POST /api/prospecting': (): Given => ({ filters: { company_status: [200] } }),
};
const narrowed = Object.keys(narrowing).flatMap((route) =>
  routeNamed(route)
    .parameters.map(({ name }) => name)
    .filter((name) => !['id', 'api_key', 'page', 'per_page', 'sorting'].includes(name))
    .map((name) => [route as keyof typeof narrowing, name] as const),
);

describe('criteria of lists', () => {
  it.each(narrowed)('narrows the list of %s by %s', async (route, name) => {
    if (route === 'GET /v2/companies/watch') {
      // Watches one more company from another day, for other fields.
      const [other] = api.app.sandbox.world.companyIds(0).slice(-1);
      await api.app.send('POST', '/_sandbox/day', { day: 1 });
      await api.ask('POST /v2/companies/{id}/watch/start', { id: other, fields: ['company.fax'] });
    }
    const base = Object.fromEntries(
      Object.entries(wide(route)).filter(([key]) => ['id', 'from_date', 'api_key'].includes(key)),
    );
    const value = narrowing[route]()[name];
    const all = await list(route, base);
    const some = await list(route, { ...base, [name]: value });
    expect(value).toBeDefined();
    expect(some.total).toBeGreaterThan(0);
    expect(some.total).toBeLessThan(all.total!);
    if (route === 'POST /v2/overview') {
      expect(some.total).toBe(api.app.sandbox.world.matchingOverview({ [name]: value }, api.app.sandbox.day).length);
    }
  });
});

/** Parameters that find a record on their own: route, other required parameters, kind of record, names of the parameters. */
const leading: [route: string, besides: string[], record: 'company' | 'person', names: string[]][] = [
  ['POST /v2/enrichment/url', [], 'company', ['url']],
  ['POST /v2/enrichment/company/pronet', [], 'company', ['pronet']],
  ['POST /v2/enrichment/company', ['country_code'], 'company', ['registration_number', 'vat_number', 'ticker']],
  ['POST /v2/enrichment/email', [], 'person', ['email']],
  ['POST /v2/enrichment/employee/pronet', [], 'person', ['pronet']],
  ['POST /v2/enrichment/employee/contacts', [], 'person', ['email', 'pronet']],
  ['POST /v2/enrichment/employee/contacts', ['first_name', 'last_name'], 'person', ['company_name', 'domain']],
  ['POST /v2/autocomplete', [], 'company', ['name', 'registration_number', 'vat_number', 'website']],
  ['GET /v1/finder/company/details', [], 'company', ['id']],
  ['GET /v1/finder/executive/details', [], 'person', ['id']],
  ['POST /api/company-by-url', ['api_key'], 'company', ['url']],
  ['POST /api/company-by-pronet', ['api_key'], 'company', ['pronet_url']],
  ['POST /api/company-details', ['api_key'], 'company', ['company_id']],
  ['POST /api/autocomplete', ['api_key'], 'company', ['name', 'registration_number', 'vat_number', 'website']],
  // The error of autocomplete names five fields, and these are not among them.
  ['POST /v2/autocomplete', ['name'], 'company', ['ticker', 'email', 'pronet']],
  ['POST /api/autocomplete', ['api_key', 'name'], 'company', ['ticker', 'email', 'pronet']],
];

describe('identifiers of records', () => {
  const rows = leading.flatMap(([route, besides, record, names]) =>
    names.map((name) => [route, name, besides, record] as const),
  );
  it.each(rows)('%s finds the record by %s', async (route, name, besides, record) => {
    const call = api.calls[route]!;
    const given = Object.fromEntries([...besides, name].map((key) => [key, call[key]]));
    const found = await body(route, given);
    expect(String(found['id'])).toBe(String(record === 'company' ? api.id : api.person.id));
  });

  it.each([
    ['POST /v2/enrichment/company', 'registration_number', 'country_code', 'IS'],
    ['POST /v2/enrichment/company', 'registration_number', 'state', 'Nowhere'],
    ['POST /v2/autocomplete', 'registration_number', 'country_code', 'IS'],
    ['POST /v2/enrichment/employee/contacts', 'company_name', 'first_name', 'Nobody'],
    ['POST /v2/enrichment/employee/contacts', 'company_name', 'last_name', 'Nobody'],
  ])('%s by %s finds nothing if %s differs', async (route, name, other, value) => {
    const call = api.calls[route]!;
    const needed = route.endsWith('company') ? 'country_code' : 'api_key';
    expect(
      (await api.ask(route, { ...(needed in call && { [needed]: call[needed] }), [name]: call[name], [other]: value }))
        .status,
    ).toBe(404);
  });

  it('POST /api/autocomplete: finds no registration_number in another country_code', async () => {
    const { api_key, registration_number } = api.calls['POST /api/autocomplete']!;
    const found = await body('POST /api/autocomplete', { api_key, registration_number, country_code: 'IS' });
    expect(found).toEqual({ detail: 'No company was found.' });
  });
});

/** Parameters whose effect has its own test, below or in watching.test.ts. */
const TOLD = [
  'filters',
  'reveal_email',
  'reveal_phone',
  'year',
  'date_from',
  'date_to',
  'sort',
  'nomenclature_type',
  'parent',
  'api_key',
  'ticker',
  'fields',
  'callback',
];
/** `sorting` is accepted and ignored: version 2 has no order to choose (sandbox/README.md). */
const WITHOUT_EFFECT = ['POST /api/prospecting sorting'];

it('tests the effect of every parameter', () => {
  const tested = [
    ...paged.flatMap((route) => [`${route} page`, `${route} per_page`]),
    ...narrowed.map(([route, name]) => `${route} ${name}`),
    ...leading.flatMap(([route, besides, , names]) => [...besides, ...names].map((name) => `${route} ${name}`)),
    'POST /v2/enrichment/company state',
    'POST /v2/autocomplete country_code',
    'POST /api/autocomplete country_code',
    // Identify the company of an answer; tested in test/sandbox against the market.
    'GET /v1/finder/company/financial id',
    'GET /v1/finder/company/executives id',
    'GET /v1/finder/tenders/details slug',
    'POST /api/company-financials company_id',
    'POST /api/company-ownership company_id',
    ...WITHOUT_EFFECT,
  ];
  const all = ROUTES.filter(({ path }) => !path.startsWith('/oauth')).flatMap((route) =>
    route.parameters
      .filter(({ name, in: places }) => places[0] !== 'path' && !TOLD.includes(name))
      .map(({ name }) => `${nameOf(route)} ${name}`),
  );
  expect(all.filter((parameter) => !tested.includes(parameter))).toEqual([]);
});

describe('other parameters', () => {
  it('hides e-mail and phone when reveal_email or reveal_phone is false', async () => {
    for (const [route, given] of Object.entries(api.calls)) {
      for (const name of ['reveal_email', 'reveal_phone'].filter((flag) => flag in given)) {
        const field = name.replace('reveal_', '');
        expect([route, (await body(route, given))[field]]).toEqual([route, expect.any(String)]);
        expect([route, (await body(route, { ...given, [name]: false }))[field]]).toEqual([route, null]);
      }
    }
  });

  it.each(['GET /v2/financial/{id}', 'POST /api/company-financials'])(
    'returns only the requested year from %s',
    async (route) => {
      const given = api.calls[route]!;
      expect(Object.keys(await body(route, given))).toEqual([String(given['year'])]);
      expect(await body(route, { ...given, year: 1901 })).toEqual({});
    },
  );

  it('returns several years when none is requested', async () => {
    expect(Object.keys(await body('GET /v2/financial/{id}', { id: api.id })).length).toBeGreaterThan(1);
    const byTicker = await body('GET /v2/financial/ticker', { ticker: api.ticker });
    expect(byTicker).toEqual(await body('GET /v2/financial/{id}', { id: api.id }));
  });

  it('counts only contacts revealed between date_from and date_to', async () => {
    const { date } = api.app.sandbox;
    await body('GET /v2/employees/{id}', { id: api.person.id });
    const [none, some] = [{ email_count: 0, phone_count: 0 }, { email_count: expect.any(Number) as number }];
    const between = (date_from: string, date_to: string): Promise<Given> =>
      body('GET /v2/metrics/contacts', { date_from, date_to });
    const today = await between(`${date} 00:00:00`, `${date} 23:59:59`);
    expect(today).toMatchObject(some);
    expect(today['email_count']).toBeGreaterThan(0);
    expect(await between('2001-01-01 00:00:00', '2001-12-31 23:59:59')).toEqual(none);
  });

  it('sorts tenders ascending or descending', async () => {
    const first = async (sort: object): Promise<unknown> => (await list('POST /v1/finder/tenders', { sort })).rows[0];
    expect(await first({ title: 'desc' })).not.toEqual(await first({ title: 'asc' }));
  });

  it('lists nomenclatures by nomenclature_type, below a parent if given', async () => {
    const items = async (more: Given): Promise<unknown[]> =>
      (await body<{ items: unknown[] }>('POST /api/nomenclature', { ...api.calls['POST /api/nomenclature'], ...more }))
        .items;
    expect((await items({})).length).toBeLessThan((await items({ parent: null })).length);
    expect(await items({ nomenclature_type: 'company_status', parent: null })).toHaveLength(3);
  });

  it('answers differently to a wrong api_key', async () => {
    expect(await body('POST /api/verify-token', { api_key: 'wrong' })).not.toEqual(
      await body('POST /api/verify-token', api.calls['POST /api/verify-token']!),
    );
    expect(await body('POST /api/company-details', { api_key: 'wrong', company_id: String(api.id) })).toEqual({
      detail: 'Invalid API key.',
    });
  });
});
