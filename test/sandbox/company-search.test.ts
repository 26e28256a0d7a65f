import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Company } from '../../schemas/v2/company.js';
import type { OverviewResponse } from '../../schemas/v2/overview.js';
import { leiOf, tickerOf } from '../../sandbox/world/lookups.js';
import { fullNameOf, peopleCountOf, PLACES } from '../../sandbox/world/people.js';
import { startApp, type Answer, type Running } from './running.js';

let app: Running;
let ids: number[];
let records: Company[];
beforeAll(async () => {
  app = await startApp();
  ids = app.sandbox.world.companyIds(0);
  records = ids.map((id) => app.sandbox.world.company(id, 0)!);
});
afterAll(() => app.close());

const overview = (body: object): Promise<Answer<OverviewResponse>> => app.send('POST', '/v2/overview', body);
const post = (path: string, body: object): Promise<Answer<Company>> => app.send('POST', path, body);

describe('POST /v2/overview', () => {
  it('returns at most five companies a page, in order', async () => {
    const { body } = await overview({});
    expect(body).toMatchObject({ total_results: 600, total_pages: 120 });
    expect(body.data).toHaveLength(5);
    expect((await overview({ page: 120, per_page: 5 })).body.data[4]!.id).toBe(String(ids.at(-1)));
    expect(await overview({ per_page: 6 })).toMatchObject({ status: 400, body: { per_page: [expect.any(String)] } });
    expect(body.data[0]).toEqual({
      id: String(ids[0]),
      name: records[0]!.name,
      status: records[0]!.status,
      country_code: records[0]!.country_code,
      registration_number: records[0]!.registration_number,
    });
  });

  it('finds a company by each search field', async () => {
    const { ctx } = app.sandbox.world;
    const full = records.findIndex(
      (record, n) =>
        record.vat_number &&
        record.company_website &&
        record.pronet &&
        peopleCountOf(ctx, n) > 0 &&
        record.company_phone![0],
    );
    const record = records[full]!;
    const listed = records.findIndex((_, n) => tickerOf(ctx, n) !== null);
    const registered = records.findIndex((_, n) => leiOf(ctx, n) !== null);
    const only = async (asked: object): Promise<string[]> =>
      (await overview(asked)).body.data.map(({ id }) => String(id));
    expect(await only({ registration_number: record.registration_number })).toEqual([String(ids[full])]);
    expect(await only({ vat_number: record.vat_number })).toEqual([String(ids[full])]);
    expect(await only({ website: `https://${record.company_website!}/about` })).toEqual([String(ids[full])]);
    expect(await only({ pronet: record.pronet })).toEqual([String(ids[full])]);
    expect(await only({ phone_number: record.company_phone![0] })).toEqual([String(ids[full])]);
    expect(await only({ ticker: tickerOf(ctx, listed) })).toEqual([String(ids[listed])]);
    expect(await only({ lei_number: leiOf(ctx, registered) })).toEqual([String(ids[registered])]);
    const person = fullNameOf(ctx, full * PLACES);
    expect((await overview({ person, registration_number: record.registration_number })).body.total_results).toBe(1);
    expect((await overview({ registration_number: '99999999' })).body).toEqual({
      total_results: 0,
      total_pages: 0,
      data: [],
    });
  });

  it('narrows companies by name, country, state, postcodes and status', async () => {
    const total = async (asked: object): Promise<number> => (await overview(asked)).body.total_results;
    const count = (holds: (record: Company) => boolean): number => records.filter(holds).length;
    expect(await total({ name: 'logistics' })).toBe(count(({ name }) => name!.toLowerCase().includes('logistics')));
    expect(await total({ country_code: 'gb' })).toBe(count(({ country_code }) => country_code === 'GB'));
    expect(await total({ country_code: 'US', state: 'TX' })).toBe(
      count(({ country_code, country_region }) => country_code === 'US' && country_region === 'TX'),
    );
    const zips = records.slice(0, 5).flatMap(({ zip_code }) => zip_code ?? []);
    expect(await total({ postal_codes: zips })).toBe(count(({ zip_code }) => zips.includes(zip_code!)));
    expect(await total({ company_status: [200, 201] })).toBe(count(({ status }) => status !== 'Active'));
    expect((await overview({ postal_codes: '1234' })).status).toBe(400);
    expect((await overview({ country_code: 'Denmark' })).status).toBe(400);
  });
});

describe('company enrichment', () => {
  it('enriches a company by website, without its status', async () => {
    const record = records.find(({ company_website }) => company_website)!;
    const { status: _absent, ...expected } = record;
    expect((await post('/v2/enrichment/url', { url: `https://${record.company_website!}` })).body).toEqual(
      JSON.parse(JSON.stringify(expected)),
    );
    expect((await post('/v2/enrichment/url', { url: 'https://nobody.example' })).status).toBe(404);
    expect((await post('/v2/enrichment/url', {})).body).toEqual({ url: [expect.any(String)] });
  });

  it('enriches a company by profile address', async () => {
    const record = records.find(({ pronet }) => pronet)!;
    expect((await post('/v2/enrichment/company/pronet', { pronet: record.pronet })).body.name).toBe(record.name);
  });

  it('enriches by registration number in the right country and state', async () => {
    const danish = records.find(({ country_code }) => country_code === 'DK')!;
    const american = records.find(({ country_code }) => country_code === 'US')!;
    const find = (body: object): Promise<Answer<Company>> => post('/v2/enrichment/company', body);
    const { registration_number } = danish;
    expect((await find({ country_code: 'DK', registration_number })).body.name).toBe(danish.name);
    expect((await find({ country_code: 'DE', registration_number })).status).toBe(404);
    expect((await find({ registration_number })).body).toEqual({ country_code: [expect.any(String)] });
    expect((await find({ country_code: 'DK' })).status).toBe(400);
    const us = { country_code: 'US', registration_number: american.registration_number };
    expect((await find(us)).body).toEqual({ state: [expect.any(String)] });
    expect((await find({ ...us, state: american.country_region })).body.name).toBe(american.name);
    expect((await find({ ...us, state: 'ZZ' })).status).toBe(404);
  });
});

describe('POST /v2/autocomplete', () => {
  it('autocompletes only if all given values match', async () => {
    const record = records.find(({ vat_number, company_website }) => vat_number && company_website)!;
    const find = (body: object): Promise<Answer<Company>> => post('/v2/autocomplete', body);
    expect((await find({ vat_number: record.vat_number })).body.name).toBe(record.name);
    expect((await find({ website: record.company_website })).body.name).toBe(record.name);
    expect((await find({ website: record.company_website, name: 'somebody else' })).status).toBe(404);
    const named = await find({ name: record.name!, country_code: record.country_code });
    expect(named.body.name).toBe(record.name);
    expect((await find({ name: 'no company has this name' })).status).toBe(404);
  });

  it('refuses autocomplete without one of the five fields that the error names', async () => {
    const { company_email, pronet } = records.find((record) => record.company_email?.[0] && record.pronet)!;
    const others = { ticker: 'TICK', email: company_email![0], pronet };
    for (const body of [{}, { country_code: 'GB' }, others]) {
      expect(await post('/v2/autocomplete', body)).toMatchObject({
        status: 400,
        body: { fields: [expect.stringContaining('registration_number')] },
      });
    }
    expect((await post('/v2/autocomplete', { country_code: 'GB', nonsense: 1 })).body).toEqual({
      nonsense: [expect.any(String)],
    });
  });

  it('finds by any field with autocompleteNeeds any, and refuses only a lone country', async () => {
    const { company_email } = records.find((record) => record.company_email?.[0])!;
    const mild = await startApp({ autocompleteNeeds: 'any' });
    try {
      const find = async (body: object) => mild.send('POST', '/v2/autocomplete', body);
      expect((await find({ email: company_email![0] })).status).toBe(200);
      expect((await find({ country_code: 'GB' })).body).toEqual({ fields: [expect.any(String)] });
    } finally {
      await mild.close();
    }
  });
});

describe('GET /v2/financial/ticker', () => {
  it('serves the financial report of the company with the ticker', async () => {
    const { world } = app.sandbox;
    const index = records.findIndex(
      (_, n) => tickerOf(world.ctx, n) !== null && Object.keys(world.financialReport(ids[n]!, 0)!).length > 1,
    );
    const report = world.financialReport(ids[index]!, 0)!;
    const ticker = tickerOf(world.ctx, index)!;
    expect((await app.get(`/v2/financial/ticker?ticker=${ticker}`)).body).toEqual(report);
    const year = Object.keys(report)[0]!;
    expect((await app.get(`/v2/financial/ticker?ticker=${ticker.toLowerCase()}&year=${year}`)).body).toEqual({
      [year]: report[year],
    });
    expect((await app.get('/v2/financial/ticker?ticker=ZZZZZ')).status).toBe(404);
    expect((await app.get('/v2/financial/ticker')).body).toEqual({ ticker: [expect.any(String)] });
  });
});
