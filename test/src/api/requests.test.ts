import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { canonicalJson, type ApiClient, type ApiResponse } from '../../../src/api/index.js';
import { prepareRequest } from '../../../src/api/request.js';
import { nameOf, ROUTES } from '../../conformance/reference.js';
import { rejection, reply, withApi } from './helpers.js';

const routes = ROUTES.filter(({ group }) => group !== 'connector').map(nameOf);

const list = { total_companies: 0, total_pages: 0, total_results: 0, pages: 0, data: [] };

const people = { total_employees: 0, total_pages: 0, data: [] };

/** Call, its answer, and the expected request. */
const calls: [(client: ApiClient) => Promise<ApiResponse<unknown>>, unknown, string, string][] = [
  [(c) => c.v2.metrics(), [], 'GET /v2/metrics', ''],
  [
    (c) => c.v2.prospecting({ page: 2, per_page: 50, filters: { nace: ['62'], company_status: [199] } }),
    list,
    'POST /v2/prospecting',
    '{"filters":{"company_status":[199],"nace":["62"]},"page":2,"per_page":50}',
  ],
  [(c) => c.v2.company('12'), { id: 12 }, 'GET /v2/companies/12', ''],
  [(c) => c.v2.financial(12), {}, 'GET /v2/financial/12', ''],
  [(c) => c.v2.financial(12, { year: 2024 }), {}, 'GET /v2/financial/12?year=2024', ''],
  [(c) => c.v2.watch.start(1, ['company.name']), {}, 'POST /v2/companies/1/watch/start', '{"fields":["company.name"]}'],
  [(c) => c.v2.watch.start(1), '', 'POST /v2/companies/1/watch/start', '{}'],
  [(c) => c.v2.watch.stop(1), '', 'DELETE /v2/companies/1/watch/stop', ''],
  [
    (c) => c.v2.watch.list({ fields: ['company.name', 'company.vat'], page: 1 }),
    list,
    'GET /v2/companies/watch?fields=company.name&fields=company.vat&page=1',
    '',
  ],
  [
    (c) => c.v2.watch.events(1, { from_date: '2026-11-01', to_date: '2026-11-02' }),
    list,
    'GET /v2/companies/1/watch/events?from_date=2026-11-01&to_date=2026-11-02',
    '',
  ],
  [(c) => c.v2.watch.fields(1), ['company.name'], 'GET /v2/companies/1/watch/fields', ''],
  [
    (c) => c.v2.watch.addFields(1, ['company.vat']),
    [],
    'PUT /v2/companies/1/watch/fields/add',
    '{"fields":["company.vat"]}',
  ],
  [(c) => c.v2.watch.removeFields(1, []), [], 'PUT /v2/companies/1/watch/fields/remove', '{"fields":[]}'],
  [
    (c) => c.v2.watch.setCallback('https://hooks.example.com/e'),
    { callback: 'https://hooks.example.com/e', secret: 's' },
    'PUT /v2/companies/watch/callback',
    '{"callback":"https://hooks.example.com/e"}',
  ],
  [(c) => c.v2.watch.getCallback(), { callback: null, secret: null }, 'GET /v2/companies/watch/callback', ''],
  [
    (c) => c.v1.tenders({ page: 1, per_page: 20, sort: { title: 'desc' }, filters: { must: { status: [1] } } }),
    list,
    'POST /v1/finder/tenders',
    '{"filters":{"must":{"status":[1]}},"page":1,"per_page":20,"sort":{"title":"desc"}}',
  ],
  [(c) => c.v1.tenderDetails('a b&c'), { slug: 'a b&c' }, 'GET /v1/finder/tenders/details?slug=a+b%26c', ''],
  [(c) => c.v1.tenderNomenclatures(), {}, 'GET /v1/finder/tenders/nomenclatures', ''],
  [(c) => c.v1.tenderDonors(), [], 'GET /v1/finder/tenders/donors', ''],
  [(c) => c.v1.nomenclatures(), {}, 'GET /v1/finder/nomenclatures', ''],
  [
    (c) => c.v2.contactMetrics({ date_from: '2026-11-01 00:00:00', date_to: '2026-11-02 00:00:00' }),
    { email_count: 1, phone_count: 2 },
    'GET /v2/metrics/contacts?date_from=2026-11-01+00%3A00%3A00&date_to=2026-11-02+00%3A00%3A00',
    '',
  ],
  [(c) => c.v2.overview({ name: 'A', per_page: 5 }), list, 'POST /v2/overview', '{"name":"A","per_page":5}'],
  [(c) => c.v2.employees({ filters: { company_id: 1 } }), people, 'POST /v2/employees', '{"filters":{"company_id":1}}'],
  [(c) => c.v2.employee(7), {}, 'GET /v2/employees/7', ''],
  [(c) => c.v2.autocomplete({ ticker: 'T' }), {}, 'POST /v2/autocomplete', '{"ticker":"T"}'],
  [(c) => c.v2.financialByTicker('T'), [], 'GET /v2/financial/ticker?ticker=T', ''],
  [(c) => c.v2.enrichment.url('a.example'), {}, 'POST /v2/enrichment/url', '{"url":"a.example"}'],
  [(c) => c.v2.enrichment.companyByPronet('p'), {}, 'POST /v2/enrichment/company/pronet', '{"pronet":"p"}'],
  [(c) => c.v2.enrichment.company({ country_code: 'DK' }), {}, 'POST /v2/enrichment/company', '{"country_code":"DK"}'],
  [(c) => c.v2.enrichment.email({ email: 'e' }), {}, 'POST /v2/enrichment/email', '{"email":"e"}'],
  [
    (c) => c.v2.enrichment.employeeByPronet({ pronet: 'p' }),
    {},
    'POST /v2/enrichment/employee/pronet',
    '{"pronet":"p"}',
  ],
  [
    (c) => c.v2.enrichment.employeeByContacts({ email: 'e' }),
    {},
    'POST /v2/enrichment/employee/contacts',
    '{"email":"e"}',
  ],
  [(c) => c.v2.enrichment.searchEmployees({ page: 1 }), people, 'POST /v2/enrichment/employee/search', '{"page":1}'],
  [(c) => c.v2.kyb.ubo(1, { threshold: 25 }), {}, 'GET /v2/kyb/1/ubo?threshold=25', ''],
  [(c) => c.v2.kyb.startUboEnrichment(1), {}, 'POST /v2/kyb/1/ubo/enrich', '{}'],
  [(c) => c.v2.kyb.uboEnrichment(1, 'j'), {}, 'GET /v2/kyb/1/ubo/enrich/j', ''],
  [(c) => c.v2.kyb.checkPayee({ id_scheme: 'NIDN' }), {}, 'POST /v2/know-your-payee', '{"id_scheme":"NIDN"}'],
  [(c) => c.v2.kyb.payeeReport(3), {}, 'GET /v2/know-your-payee/3', ''],
  [(c) => c.v2.kyb.checkPayeeAgain(3), {}, 'POST /v2/know-your-payee/3', '{}'],
  [
    (c) => c.v1.companies({ page: 1, per_page: 10, filters: { size: { from: 1 } } }),
    list,
    'POST /v1/finder/companies',
    '{"filters":{"size":{"from":1}},"page":1,"per_page":10}',
  ],
  [(c) => c.v1.company(5), {}, 'GET /v1/finder/company/details?id=5', ''],
  [(c) => c.v1.financial('5'), {}, 'GET /v1/finder/company/financial?id=5', ''],
  [
    (c) => c.v1.companyExecutives({ id: 5, page: 1, per_page: 10 }),
    { list: [], pages: 0 },
    'GET /v1/finder/company/executives?id=5&page=1&per_page=10',
    '',
  ],
  [
    (c) => c.v1.executives({ filters: { size: [1, 9] } }),
    list,
    'POST /v1/finder/executives',
    '{"filters":{"size":[1,9]}}',
  ],
  [(c) => c.v1.executive(8), {}, 'GET /v1/finder/executive/details?id=8', ''],
];

describe('requests of the client functions', () => {
  it.each(calls)('sends the documented request (%#): %o', async (call, answer, line, body) => {
    await withApi(
      (_q, r) => reply(r, 200, answer),
      async ({ client, api }) => {
        await call(client);
        expect(api.seen.map((q) => [`${q.method} ${q.url}`, q.body])).toEqual([[line, body]]);
        expect(api.seen[0]?.headers['content-type']).toBe('application/json');
      },
    );
  });

  it('has a function for every route of both references', async () => {
    const reached = new Set<string>();
    for (const [call, answer] of calls) {
      await withApi(
        (_q, r) => reply(r, 200, answer),
        async ({ client }) => void reached.add((await call(client)).endpoint),
      );
    }
    // This route is requested only if GET is refused. A later test calls it.
    reached.add('POST /v1/finder/nomenclatures');
    expect([...reached].sort()).toEqual([...routes].sort());
    expect(routes.filter((route) => route.includes(' /v2'))).toHaveLength(32);
    expect(routes.filter((route) => route.includes(' /v1'))).toHaveLength(12);
  });

  it('keeps the path of the base URL', async () => {
    await withApi(
      (_q, r) => reply(r, 200, []),
      async ({ api }) => {
        const { createApiClient } = await import('../../../src/api/index.js');
        const client = createApiClient({ baseUrl: `${api.url}/gateway/`, apiKey: 'k' });
        await client.v2.metrics();
        await client.close();
        expect(api.seen[0]?.url).toBe('/gateway/v2/metrics');
      },
    );
  });

  it('requests nomenclatures by POST when GET is refused', async () => {
    await withApi(
      (q, r) =>
        q.method === 'GET' ? reply(r, 405, { detail: 'Method "GET" not allowed.' }) : reply(r, 200, { regions: [] }),
      async ({ client }) => {
        const answer = await client.v1.nomenclatures();
        expect(answer).toMatchObject({ data: { regions: [] }, endpoint: 'POST /v1/finder/nomenclatures' });
      },
    );
  });
});

describe('answers of the client', () => {
  it('returns exact text, time and canonical request', async () => {
    const text = '{ "id" : 1,\n "name":"Ø", "unknown": [1.0] }';
    await withApi(
      (_q, r) => reply(r, 201, text),
      async ({ client }) => {
        const before = Date.now();
        const answer = await client.v2.company(7);
        const facts = {
          data: JSON.parse(text) as unknown,
          misfits: [],
          body: text,
          status: 201,
          fetchedAt: '2026-11-21T02:00:00.000Z',
          requestKey: 'GET /v2/companies/7',
          attempts: 1,
          endpoint: 'GET /v2/companies/{id}',
        };
        expect(answer).toMatchObject(facts);
        // The server's clock: the Date header of this answer.
        const servedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/) as string;
        expect(answer.times).toMatchObject({ servedAt, cached: false });
        const { sentAt, receivedAt } = answer.times;
        expect(before <= +sentAt && sentAt <= receivedAt && +receivedAt <= Date.now()).toBe(true);
        expect(JSON.parse(JSON.stringify(answer))).toEqual({
          ...facts,
          times: JSON.parse(JSON.stringify(answer.times)) as unknown,
        });
      },
      { now: () => new Date('2026-11-21T02:00:00Z') },
    );
  });

  it('reads text totals as numbers, removes wrong values and marks items without id as null', async () => {
    const body = {
      total_companies: '3',
      total_pages: 1,
      data: [{ id: 1 }, { name: 'no id' }, { id: '2', name: 5 }],
      extra: true,
    };
    await withApi(
      (_q, r) => reply(r, 200, body),
      async ({ client }) => {
        const { data } = await client.v2.prospecting({});
        expect(data).toEqual({ ...body, total_companies: 3, data: [{ id: 1 }, null, { id: '2' }] });
      },
    );
  });

  it('reads metrics without figures as zero', async () => {
    const body = [
      { name: 'Search', codename: 'search', metrics: [{ codename: 'daily', used: '3', total: null }] },
      { codename: 'x' },
    ];
    await withApi(
      (_q, r) => reply(r, 200, body),
      async ({ client }) => {
        const { data } = await client.v2.metrics();
        expect(data[0]?.metrics).toEqual([{ codename: 'daily', used: 3, total: 0 }]);
        expect(data[1]?.metrics).toEqual([]);
      },
    );
  });
});

describe('requests with side effects', () => {
  it.each<[string, number, object]>([
    ['an internal error', 500, { detail: 'Internal server error' }],
    ['a proxy’s page', 502, {}],
  ])('does not repeat a request with side effects after %s', async (_name, status, body) => {
    await withApi(
      (_q, r) => reply(r, status, body),
      async ({ client, api }) => {
        await rejection(client.v2.kyb.checkPayee({}));
        await rejection(client.v2.kyb.startUboEnrichment(1));
        expect(api.seen).toHaveLength(2);
      },
    );
  });

  it('repeats a request with side effects after a 429', async () => {
    await withApi(
      (_q, r, n) => (n === 1 ? reply(r, 429, {}) : reply(r, 200, { id: 1 })),
      async ({ client }) => expect((await client.v2.kyb.checkPayee({})).attempts).toBe(2),
    );
  });
});

describe('canonical requests', () => {
  it('writes equal requests identically, whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonicalJson(reverseKeys(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('omits undefined values', () => {
    expect(canonicalJson({ b: undefined, a: [undefined, 1] })).toBe('{"a":[null,1]}');
  });

  it.each(['', '.', '..'])('rejects the id %j', async (id) => {
    await withApi(
      (_q, r) => reply(r, 200, {}),
      async ({ client }) => expect(await rejection(client.v2.company(id))).toBeInstanceOf(TypeError),
    );
  });

  it('escapes an id in the path', () => {
    expect(prepareRequest('GET /v2/companies/{id}', { ids: ['a/../b?c#d'] }).path).toBe(
      '/v2/companies/a%2F..%2Fb%3Fc%23d',
    );
  });
});

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  const reversed: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value).toReversed()) {
    Object.defineProperty(reversed, key, {
      value: reverseKeys(item),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return reversed;
}
