import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Answer, type Running } from './running.js';

let app: Running;
let id: number;
let key: string;
beforeAll(async () => {
  app = await startApp();
  id = app.sandbox.world
    .companyIds(0)
    .find(
      (candidate) =>
        app.sandbox.world.company(candidate, 0)!.company_website &&
        Object.keys(app.sandbox.world.financialReport(candidate, 0)!).length > 1,
    )!;
  key = app.sandbox.options.key;
});
afterAll(() => app.close());

const call = (path: string, body: object): Promise<Answer<Record<string, unknown>>> =>
  app.send('POST', `/api/${path}`, body);

describe('utility routes', () => {
  it('serves the utility routes: landing, health, playground, challenge', async () => {
    for (const path of ['/', '/playground']) {
      const response = await fetch(app.url + path);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(await response.text()).not.toContain(key);
    }
    const playground = await (await fetch(`${app.url}/playground`)).text();
    expect(playground).toContain(`Token YOUR-KEY&quot; ${app.url}/v2/companies/`);
    expect(await (await fetch(`${app.url}/health`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${app.url}/.well-known/assistant-apps-challenge`)).text()).toMatch(
      /^sandbox-challenge-/,
    );
  });
});

describe('/api', () => {
  it('verifies an API key', async () => {
    expect(await call('verify-token', { api_key: key })).toMatchObject({ status: 200, body: { valid: true } });
    expect((await call('verify-token', { api_key: 'x' })).body).toEqual({ valid: false });
  });

  it('answers connector routes like version 2', async () => {
    const { world } = app.sandbox;
    const company = JSON.parse(JSON.stringify(world.company(id, 0)!)) as Record<string, unknown>;
    const report = world.financialReport(id, 0)!;
    const year = Object.keys(report)[0]!;
    const { status: _absent, ...enriched } = company;
    expect((await call('company-details', { api_key: key, company_id: String(id) })).body).toEqual(company);
    expect((await call('company-by-url', { api_key: key, url: company['company_website'] })).body).toEqual(enriched);
    expect(
      (await call('company-financials', { api_key: key, company_id: String(id), year: Number(year) })).body,
    ).toEqual({ [year]: report[year] });
    expect(
      (await call('autocomplete', { api_key: key, name: null, registration_number: company['registration_number'] }))
        .body,
    ).toEqual(company);
    expect((await call('company-ownership', { api_key: key, company_id: String(id) })).body).toMatchObject({
      company: { id: String(id) },
    });
    expect((await call('prospecting', { api_key: key, filters: { company_status: [200] }, per_page: 3 })).body).toEqual(
      (await app.send('POST', '/v2/prospecting', { filters: { company_status: [200] }, per_page: 3 })).body,
    );
    expect(
      (await call('prospecting', { api_key: key, filters: null, sorting: [{ name: 'asc' }] })).body['data'],
    ).toHaveLength(10);
    const { pronet } = world
      .companyIds(0)
      .map((other) => world.company(other, 0)!)
      .find((record) => record.pronet)!;
    expect((await call('company-by-pronet', { api_key: key, pronet_url: pronet })).body['pronet']).toBe(pronet);
  });

  it('passes on errors of version 2 and rejects path traversal', async () => {
    const missing = { status: 200, body: { detail: 'Not found.' } };
    expect(await call('company-details', { api_key: key, company_id: '12' })).toMatchObject(missing);
    expect(await call('company-details', { api_key: key, company_id: '../metrics' })).toMatchObject(missing);
    expect(await call('autocomplete', { api_key: key, country_code: 'GB' })).toMatchObject({
      status: 200,
      body: { fields: [expect.any(String)] },
    });
    expect(await call('prospecting', { api_key: key, page: 11 })).toMatchObject({
      status: 200,
      body: { page: [expect.any(String)] },
    });
  });

  it('counts a connector call once, under its own route', async () => {
    await app.send('DELETE', '/_sandbox/requests');
    await call('company-details', { api_key: key, company_id: String(id) });
    expect((await app.get('/_sandbox/requests')).body).toMatchObject({
      total: 1,
      routes: { 'POST /api/company-details': 1 },
    });
  });

  it('lists nomenclatures, below a parent if given', async () => {
    const list = async (nomenclature_type: string, parent?: string): Promise<unknown[]> =>
      (await call('nomenclature', { api_key: key, nomenclature_type, parent })).body['items'] as unknown[];
    expect(await list('company_status')).toContainEqual({ id: 199, name: 'Active', parent: null });
    expect(await list('location_countries')).toHaveLength(249);
    const european = await list('location_countries', '2');
    expect(european.length).toBeGreaterThan(40);
    const { id: danish } = european.find((item) => (item as { name: string }).name === 'Denmark') as { id: string };
    expect(danish).toMatch(/^2_\d+$/);
    expect(
      (
        await app.send<{ total_companies: number }>('POST', '/v2/prospecting', {
          filters: { location_countries: { include: [danish] } },
        })
      ).body.total_companies,
    ).toBeGreaterThan(0);
    expect(await list('financial_currency')).toContainEqual({ id: 'EUR', name: 'Euro', parent: null });
    expect(await list('department', '833')).toHaveLength(5);
    expect(await list('financial_currency')).toHaveLength(178);
    expect(await list('trading_activity')).toEqual(
      ['import', 'export'].map((name) => ({ id: name, name, parent: null })),
    );
    for (const type of ['insights_technologies', 'insights_visits', 'advance_companies', 'sic_code_gb', 'sic_code_anz'])
      expect([type, (await list(type)).length > 3]).toEqual([type, true]);
    expect((await call('nomenclature', { api_key: key, nomenclature_type: 'constructor' })).body).toEqual({
      detail: 'There is no nomenclature "constructor".',
    });
  });

  it('lists NACE and ISIC from sections to classes', async () => {
    const list = async (nomenclature_type: string, parent?: string): Promise<{ id: string }[]> =>
      (await call('nomenclature', { api_key: key, nomenclature_type, parent })).body['items'] as { id: string }[];
    for (const [type, size, way] of [
      ['nace', 21 + 88 + 272 + 615, ['J', '62', '62.0', '62.01']],
      ['isic', 21 + 88 + 238 + 419, ['J', '62', '620', '6201']],
    ] as const) {
      expect(await list(type)).toHaveLength(size);
      for (const [depth, code] of way.entries()) {
        if (depth > 0) expect((await list(type, way[depth - 1])).map((item) => item.id)).toContain(code);
      }
    }
  });

  it.each([
    ['verify-token', {}],
    ['company-by-url', { url: 'x' }],
    ['company-by-pronet', { api_key: 'k' }],
    ['company-financials', { api_key: 'k', company_id: '1', year: 'soon' }],
    ['autocomplete', { api_key: 'k', name: 5 }],
    ['nomenclature', { api_key: 'k' }],
    ['prospecting', { api_key: 'k', page: 'one' }],
    ['company-details', { company_id: 5, api_key: 'k' }],
    ['company-ownership', { company_id: '5' }],
  ])('refuses a wrong body of %s with 422', async (path, body) => {
    const { status, body: refusal } = await call(path, body);
    expect(status).toBe(422);
    const detail = refusal['detail'] as { loc: unknown[]; msg: string; type: string }[];
    expect(detail.length).toBeGreaterThan(0);
    for (const item of detail)
      expect(item).toEqual({ loc: ['body', expect.any(String)], msg: expect.any(String), type: expect.any(String) });
  });

  it('answers a wrong API key with 200 and the reason', async () => {
    expect(await call('company-details', { api_key: 'wrong', company_id: String(id) })).toEqual(
      expect.objectContaining({ status: 200, body: { detail: 'Invalid API key.' } }),
    );
  });
});
