import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProspectingResponse } from '../../schemas/v2/prospecting.js';
import { startApp, type Answer, type Running } from './running.js';

let app: Running;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const search = (body: object, on = app): Promise<Answer<ProspectingResponse>> =>
  on.send('POST', '/v2/prospecting', body);

describe('POST /v2/prospecting', () => {
  it('pages through all companies in the order of ids', async () => {
    const first = await search({ per_page: 100 });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ total_companies: 600, total_pages: 6 });
    const ids: unknown[] = [];
    for (let page = 1; page <= 6; page++) {
      const { body } = await search({ page, per_page: 100 });
      ids.push(...body.data.map(({ id }) => id));
    }
    expect(ids).toEqual(app.sandbox.world.companyIds(0));
  });

  it('returns numeric ids, and names as in the details', async () => {
    const { body } = await search({ per_page: 20 });
    for (const { id, name } of body.data) {
      expect(typeof id).toBe('number');
      expect(name).toBe(app.sandbox.world.company(Number(id), 0)?.name);
    }
  });

  it('returns ten a page by default and at most the maximum', async () => {
    expect((await search({})).body.data).toHaveLength(10);
    const { body } = await search({ per_page: 5000 });
    expect(body.data).toHaveLength(100);
    expect(body.total_pages).toBe(6);
  });

  it('reports more than ten pages but refuses the eleventh', async () => {
    const { body } = await search({ per_page: 7, page: 10 });
    expect(body.total_pages).toBe(86);
    expect(body.data).toHaveLength(7);
    const refused = await search({ per_page: 7, page: 11 });
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({ page: [expect.any(String)] });
  });

  it('returns an empty page past the last one', async () => {
    expect((await search({ per_page: 100, page: 9 })).body.data).toEqual([]);
  });

  it('rejects unknown filters and wrong values by key', async () => {
    const { status, body } = await search({
      filters: { colour: ['red'], company_status: ['199'], number_of_employees: { from: 1 }, legal_form: 16 },
    });
    expect(status).toBe(400);
    expect(Object.keys(body).toSorted()).toEqual(['colour', 'company_status', 'legal_form', 'number_of_employees']);
    for (const messages of Object.values(body)) expect(messages).toEqual([expect.any(String)]);
  });

  it('filters incorporation by date, or by year if configured', async () => {
    const range = { gte: '2009-07-01', lte: '2009-07-01' };
    const byDate = await search({ filters: { company_incorporation: range } });
    expect(byDate.body.total_companies).toBeGreaterThan(5);
    const refused = await search({ filters: { company_incorporation: { gte: 2009 } } });
    expect(refused.body).toEqual({ company_incorporation: [expect.stringContaining('YYYY-MM-DD')] });

    const years = await startApp({ incorporation: 'year' });
    const byYear = await search({ filters: { company_incorporation: { gte: 2009, lte: 2009 } } }, years);
    expect(byYear.body.total_companies).toBeGreaterThanOrEqual(byDate.body.total_companies);
    expect((await search({ filters: { company_incorporation: range } }, years)).status).toBe(400);
    await years.close();
  });

  it('refuses large pages if configured', async () => {
    const strict = await startApp({ pageSizePolicy: 'refuse', maxPerPage: 25, defaultPerPage: 50 });
    expect((await search({ per_page: 26 }, strict)).body).toEqual({ per_page: [expect.stringContaining('25')] });
    expect((await search({ per_page: 25 }, strict)).body.data).toHaveLength(25);
    expect((await search({}, strict)).body.data).toHaveLength(25);
    await strict.close();
  });
});
