import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALTERNATE_OPERATIONS } from '../../sandbox/contract/v2-operations.js';
import { OPERATIONS } from '../../sandbox/contract/openapi.js';
import { tickerOf } from '../../sandbox/world/lookups.js';
import { startApp, type Running } from './running.js';

let app: Running;
let samples: Record<string, Sample>;

/** A call that succeeds: what stands for the parameters of the path, query and body. */
interface Sample {
  ids?: Record<string, string>;
  query?: string;
  body?: object;
}

beforeAll(async () => {
  app = await startApp({ companies: 300 });
  const { world } = app.sandbox;
  const ids = world.companyIds(0);
  const records = ids.map((id) => world.company(id, 0)!);
  const record = records.find(({ company_website, pronet }) => company_website && pronet)!;
  const id = String(record.id);
  const { body: people } = await app.send<{ data: { id: string }[] }>('POST', '/v2/employees', {
    filters: {},
    per_page: 100,
  });
  const persons = await Promise.all(
    people.data.map(async (person) => (await app.get<Record<string, string>>(`/v2/employees/${person.id}`)).body),
  );
  const person = persons.find(({ email, pronet }) => email && pronet)!;
  const { body: job } = await app.send<{ job_id: string }>('POST', `/v2/kyb/${id}/ubo/enrich`);
  const payee = { country_code: 'GB', id_scheme: 'ACNR', id: '1', holding_entity: '2' };
  await app.send('POST', '/v2/know-your-payee', payee);
  const ticker = ids.map((_, index) => tickerOf(world.ctx, index)).find((text) => text !== null)!;
  const companyId = Number(id);
  samples = {
    'GET /v2/metrics/contacts': { query: 'date_from=2026-11-01 00:00:00&date_to=2026-11-30 00:00:00' },
    'POST /v2/prospecting': { body: { filters: { company_status: [199] } } },
    'POST /v2/overview': { body: { country_code: 'GB' } },
    'POST /v2/employees': { body: { filters: { company_id: companyId } } },
    'GET /v2/employees/{id}': { ids: { id: person['id']! } },
    'PUT /v2/companies/{id}/watch/fields/add': { body: { fields: ['company.name'] } },
    'PUT /v2/companies/{id}/watch/fields/remove': { body: { fields: ['company.name'] } },
    'PUT /v2/companies/watch/callback': { body: { callback: 'http://127.0.0.1:9/x' } },
    'POST /v2/enrichment/url': { body: { url: record.company_website } },
    'POST /v2/enrichment/company/pronet': { body: { pronet: record.pronet } },
    'POST /v2/enrichment/company': {
      body: {
        country_code: record.country_code,
        registration_number: record.registration_number,
        ...(record.country_code === 'US' && { state: record.country_region }),
      },
    },
    'POST /v2/enrichment/email': { body: { email: person['email'] } },
    'POST /v2/enrichment/employee/pronet': { body: { pronet: person['pronet'] } },
    'POST /v2/enrichment/employee/contacts': { body: { email: person['email'] } },
    'POST /v2/autocomplete': { body: { registration_number: record.registration_number } },
    'GET /v2/financial/ticker': { query: `ticker=${ticker}` },
    'GET /v2/kyb/{id}/ubo/enrich/{job_id}': { ids: { id, job_id: job.job_id } },
    'POST /v2/know-your-payee': { body: payee },
    'GET /v2/know-your-payee/{id}': { ids: { id: '1' } },
    'POST /v2/know-your-payee/{id}': { ids: { id: '1' } },
    'POST /v1/finder/companies': { body: { page: 1, per_page: 5, filters: {} } },
    'GET /v1/finder/company/details': { query: `id=${id}` },
    'GET /v1/finder/company/financial': { query: `id=${id}` },
    'GET /v1/finder/company/executives': { query: `id=${id}&page=1&per_page=5` },
    'GET /v1/finder/executive/details': { query: `id=${person['id']}` },
    'GET /v1/finder/tenders/details': { query: `slug=${world.tenderSlugs(0)[0]}` },
    default: { ids: { id } },
  };
  // Watched, so that the routes about a watch find one; its stop comes last in the loop below.
  await app.send('POST', `/v2/companies/${id}/watch/start`, {});
});
afterAll(() => app.close());

describe('the description', () => {
  it('knows all 67 routes: 32 of version 2, 12 of version 1, 23 of the connector', () => {
    const count = (start: RegExp): number => OPERATIONS.filter(({ path }) => start.test(path)).length;
    expect([count(/^\/v2/), count(/^\/v1/), count(/^\/(?!v\d)/)]).toEqual([32, 12, 23]);
    expect(new Set(OPERATIONS.map(({ method, path }) => `${method} ${path}`)).size).toBe(67);
  });

  it('is served as OpenAPI 3.1 and as a page', async () => {
    const { body } = await app.get<{
      openapi: string;
      paths: Record<string, Record<string, { responses: object; requestBody?: unknown }>>;
    }>('/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    for (const { method, path } of OPERATIONS) expect(body.paths[path]).toHaveProperty(method.toLowerCase());
    expect(Object.keys(body.paths['/v2/prospecting']!['post']!.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '429',
      '500',
    ]);
    expect(JSON.stringify(body.paths['/v2/prospecting'])).toContain('financial_employee_profit');
    const docs = await fetch(`${app.url}/docs`);
    expect([docs.status, await docs.text()]).toEqual([200, expect.stringContaining('POST /v2/prospecting')]);
  });

  it('is what the routes do: every answer has the documented status and shape', async () => {
    const calls = OPERATIONS.filter(({ path }) => /^\/v\d/.test(path)).toSorted(
      (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
    );
    for (const { method, path, status = 200, response } of calls) {
      const name = `${method} ${path}`;
      const { ids = samples['default']!.ids!, query, body } = samples[name] ?? {};
      const address =
        path.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => ids[parameter]!) +
        (query === undefined ? '' : `?${encodeURI(query)}`);
      const answer = await app.send(method, address, body);
      expect([name, answer.status]).toEqual([name, status]);
      expect([name, response!.safeParse(answer.body).error]).toEqual([name, undefined]);
    }
  });

  it('covers every route there is: no other answers', async () => {
    const known = new Set(OPERATIONS.map(({ method, path }) => `${method} ${path}`));
    const alternates = ALTERNATE_OPERATIONS.map(({ method, path }) => `${method} ${path}`);
    const more = [...alternates, 'GET /openapi.json', 'GET /docs'];
    expect(
      app
        .routes()
        .filter((route) => !route.includes('/_sandbox') && !known.has(route))
        .toSorted(),
    ).toEqual(more.toSorted());
    expect([...known].filter((route) => !app.routes().includes(route))).toEqual([]);
  });
});
