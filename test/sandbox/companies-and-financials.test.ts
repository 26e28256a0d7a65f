import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FinancialReport } from '../../schemas/v2/financial-report.js';
import { startApp, type Running } from './running.js';

let app: Running;
let ids: number[];
beforeAll(async () => {
  app = await startApp();
  ids = app.sandbox.world.companyIds(0);
});
afterAll(() => app.close());

/** Sends a GET with a body, which fetch refuses. */
function getWithBody(path: string, body: object): Promise<unknown> {
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Token ${app.sandbox.options.key}`,
    'content-type': 'application/json',
    'content-length': text.length,
  };
  return new Promise((resolve, reject) => {
    const call = request(app.url + path, { method: 'GET', headers }, (response) => {
      let answer = '';
      response.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      response.on('end', () => resolve(JSON.parse(answer)));
    });
    call.on('error', reject);
    call.end(text);
  });
}

describe('GET /v2/companies/{id}', () => {
  it('serves company details byte for byte', async () => {
    for (const id of ids.slice(0, 40)) {
      const { status, body } = await app.get(`/v2/companies/${id}`);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toBe(JSON.stringify(app.sandbox.world.company(id, 0)));
    }
  });

  it('answers 404 with {detail} to unknown company ids', async () => {
    for (const id of ['1', 'abc', '99999999999999', String(ids[0]! + 1), '-5', '1e7', '%00', 'x'.repeat(300)]) {
      expect(await app.get(`/v2/companies/${id}`)).toMatchObject({ status: 404, body: { detail: expect.any(String) } });
    }
  });
});

describe('GET /v2/financial/{id}', () => {
  it('serves financial reports as generated', async () => {
    for (const id of ids.slice(0, 40)) {
      const { body } = await app.get(`/v2/financial/${id}`);
      expect(body).toEqual(app.sandbox.world.financialReport(id, 0));
    }
  });

  it('narrows a financial report to a year in query or body', async () => {
    const id = ids.find((candidate) => Object.keys(app.sandbox.world.financialReport(candidate, 0)!).length > 2)!;
    const report = app.sandbox.world.financialReport(id, 0)!;
    const year = Object.keys(report)[1]!;
    const expected: FinancialReport = { [year]: report[year]! };
    expect((await app.get(`/v2/financial/${id}?year=${year}`)).body).toEqual(expected);
    expect(await getWithBody(`/v2/financial/${id}`, { year: Number(year) })).toEqual(expected);
    expect((await app.get(`/v2/financial/${id}?year=1950`)).body).toEqual({});
  });

  it('rejects an invalid year and unknown parameters', async () => {
    expect(await app.get(`/v2/financial/${ids[0]}?year=latest`)).toMatchObject({
      status: 400,
      body: { year: [expect.any(String)] },
    });
    expect(await app.get(`/v2/financial/${ids[0]}?yaer=2024`)).toMatchObject({
      status: 400,
      body: { yaer: [expect.any(String)] },
    });
  });

  it('answers 404 to an unknown company and {} without reports', async () => {
    expect((await app.get('/v2/financial/12')).status).toBe(404);
    const silent = ids.find((id) => Object.keys(app.sandbox.world.financialReport(id, 0)!).length === 0)!;
    expect(await app.get(`/v2/financial/${silent}`)).toMatchObject({ status: 200, body: {} });
  });
});
