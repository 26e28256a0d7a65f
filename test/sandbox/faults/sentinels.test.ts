import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OverviewResponse } from '../../../schemas/v2/overview.js';
import { startApp, type Running } from '../running.js';

let app: Running;
beforeAll(async () => {
  app = await startApp({ companies: 60 });
});
afterAll(() => app.close());

describe('sentinel ids', () => {
  it.each([
    [400, { id: [expect.any(String)] }],
    [401, { detail: expect.any(String) }],
    [404, { detail: expect.any(String) }],
    [429, { error_guard: 'limits.daily' }],
    [430, { error_guard: 'limit' }],
    [500, { detail: expect.any(String) }],
    [503, { detail: expect.any(String) }],
  ])('answers a sentinel id with status %d', async (status, body) => {
    for (const path of [
      `/v2/companies/900000${status}`,
      `/v2/financial/900000${status}?year=2024`,
      `/v2/kyb/900000${status}/ubo`,
    ]) {
      expect(await app.get(path)).toMatchObject({ status, body });
    }
  });

  it('answers sentinel ids in version 1 with its errors', async () => {
    expect(await app.get('/v1/finder/company/details?id=900000403')).toMatchObject({
      status: 403,
      body: { error_name: 'ProductPermissionDenied' },
    });
    expect(await app.get('/v1/finder/company/financial?id=900000500')).toMatchObject({
      status: 500,
      body: { error_name: 'InternalError' },
    });
  });

  it('resets, truncates or serves a page for sentinel ids', async () => {
    for (const id of ['900000001', '900000002'])
      await expect(app.get(`/v2/companies/${id}`)).rejects.toThrow(/fetch failed|terminated/);
    const page = await fetch(`${app.url}/v2/companies/900000003`);
    expect(page.headers.get('content-type')).toContain('text/html');
  });

  it('answers 404 for ids that only look like sentinels', async () => {
    expect((await app.get('/v2/companies/900000999')).status).toBe(404);
    expect((await app.get('/v2/companies/1900000500')).status).toBe(404);
  });
});

describe('scripted lists', () => {
  const list = async (): Promise<OverviewResponse> =>
    (await app.send<OverviewResponse>('POST', '/v2/overview', {})).body;

  it('repeats a row in a scripted list', async () => {
    const before = await list();
    await app.send('POST', '/_sandbox/faults', { route: '/v2/overview', kind: 'duplicate' });
    const ids = (await list()).data.map(({ id }) => id);
    expect(ids).toEqual([...before.data.slice(0, 4), before.data[0]!].map(({ id }) => id));
    expect(await list()).toEqual(before);
  });

  it('changes the total of a scripted list', async () => {
    const before = await list();
    await app.send('POST', '/_sandbox/faults', { route: '/v2/overview', kind: 'drift', by: -3 });
    expect(await list()).toEqual({ ...before, total_results: before.total_results - 3 });
  });
});
