import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MetricsResponse } from '../../schemas/v2/metrics.js';
import { startApp, type Running } from './running.js';

let app: Running;
let id: number;
beforeEach(async () => {
  app = await startApp();
  id = app.sandbox.world.companyIds(0)[0]!;
});
afterEach(() => app.close());

const fault = (body: object): Promise<unknown> => app.send('POST', '/_sandbox/faults', body);
const company = (): Promise<number | string> =>
  app.get(`/v2/companies/${id}`).then(
    ({ status }) => status,
    (error: Error) => error.name,
  );

describe('scripted faults', () => {
  it('applies a fault the given number of times, on its routes only', async () => {
    await fault({ route: '/v2/companies/', status: 503, times: 2 });
    expect((await app.get('/v2/metrics')).status).toBe(200);
    expect([await company(), await company(), await company()]).toEqual([503, 503, 200]);
  });

  it('skips, repeats and deletes faults as scripted', async () => {
    await fault({ route: '/v2/companies/', status: 500, skip: 1, every: 2, times: 0 });
    expect([await company(), await company(), await company(), await company()]).toEqual([200, 500, 200, 500]);
    expect((await app.get<unknown[]>('/_sandbox/faults')).body).toMatchObject([{ seen: 4, struck: 2 }]);
    await app.send('DELETE', '/_sandbox/faults');
    expect([await company(), await company()]).toEqual([200, 200]);
  });

  it('answers with the body and headers of the script', async () => {
    await fault({ status: 429, body: { slow: 'down' }, headers: { 'retry-after': '2' } });
    const { status, body, headers } = await app.get('/v2/metrics');
    expect([status, body, headers.get('retry-after')]).toEqual([429, { slow: 'down' }, '2']);
  });

  it('resets the connection, truncates the body, or serves a page', async () => {
    await fault({ kind: 'reset' });
    await expect(app.get('/v2/metrics')).rejects.toThrow(/fetch failed|terminated/);
    await fault({ kind: 'cut' });
    await expect(app.get('/v2/metrics')).rejects.toThrow(/fetch failed|terminated/);
    await fault({ kind: 'html' });
    const page = await fetch(`${app.url}/v2/metrics`);
    expect([page.status, page.headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('<html>');
    expect((await app.get('/v2/metrics')).status).toBe(200);
  });

  it('delays an otherwise unchanged answer', async () => {
    await fault({ kind: 'latency', latency: 30 });
    expect(await company()).toBe(200);
  });

  it('rejects an invalid fault script', async () => {
    expect(await fault({ route: 'v2', kind: 'melt' })).toMatchObject({
      status: 400,
      body: { route: [expect.any(String)], kind: [expect.any(String)] },
    });
  });
});

describe('usage', () => {
  const daily = async (): Promise<object> => (await app.get<MetricsResponse>('/v2/metrics')).body[0]!.metrics[0]!;

  it('counts data calls by metric, but no metrics, watching or refused requests', async () => {
    await company();
    await app.get('/v2/companies/1');
    await app.send('POST', '/v2/prospecting', {});
    await app.send('POST', '/v2/prospecting', { page: 99 });
    await app.get('/v2/companies/watch');
    expect(await daily()).toMatchObject({ codename: 'daily_browsing', used: 3, total: 0 });
    const { body } = await app.get<MetricsResponse>('/v2/metrics');
    expect(body[1]!.metrics).toEqual(
      expect.arrayContaining([expect.objectContaining({ codename: 'company_details', used: 2 })]),
    );
  });

  it('answers LimitError at the daily limit until the next day', async () => {
    await app.send('POST', '/_sandbox/quota', { dailyLimit: 2 });
    expect([await company(), await company()]).toEqual([200, 200]);
    expect(await app.get(`/v2/financial/${id}`)).toMatchObject({
      status: 429,
      body: {
        access: { permission: 'financials', module: 'financials', module_name: 'Financial reports', app: 'api' },
        error_guard: 'limits.daily',
        message_guard: expect.any(String),
      },
    });
    expect(await daily()).toMatchObject({ used: 2, total: 2 });
    await app.send('POST', '/_sandbox/day', { advance: 1 });
    expect(await company()).toBe(200);
    await app.send('POST', '/_sandbox/quota', { used: 0, dailyLimit: 1 });
    expect([await company(), await company()]).toEqual([200, 429]);
  });

  it('answers LimitError "limit" above the rate limit', async () => {
    const slow = await startApp({ rateLimit: 1 });
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => slow.get<{ error_guard?: string }>('/v2/companies/1')),
    );
    expect(answers.some(({ status, body }) => status === 429 && body.error_guard === 'limit')).toBe(true);
    await slow.close();
  });

  it('counts no revealed contacts before any were revealed', async () => {
    const query = 'date_from=2026-11-01%2000:00:00&date_to=2026-11-30%2023:59:59';
    expect((await app.get(`/v2/metrics/contacts?${query}`)).body).toEqual({ email_count: 0, phone_count: 0 });
    expect((await app.get('/v2/metrics/contacts?date_from=2026-11-01')).body).toEqual({
      date_from: [expect.any(String)],
      date_to: [expect.any(String)],
    });
  });
});
