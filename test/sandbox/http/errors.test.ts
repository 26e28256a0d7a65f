import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Running } from '../running.js';

let app: Running;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

async function raw(
  path: string,
  init: { method?: string; body?: string; headers?: Record<string, string> } = {},
  token = `Token ${app.sandbox.options.key}`,
): Promise<{ status: number; body: unknown; allow: string | null }> {
  const response = await fetch(app.url + path, {
    ...init,
    headers: { authorization: token, 'content-type': 'application/json', ...init.headers },
  });
  return { status: response.status, body: await response.json(), allow: response.headers.get('allow') };
}

describe('tokens', () => {
  it.each(['', 'Token wrong', 'Bearer sandbox-key-7', 'Token ', 'Token sandbox-key-7 x', 'token sandbox-key-7'])(
    'refuses the token "%s" with 401',
    async (token) => {
      expect(await raw('/v2/metrics', {}, token)).toMatchObject({
        status: 401,
        body: { detail: expect.stringMatching(/token/i) },
      });
      expect(await raw('/v1/finder/tenders', { method: 'POST' }, token)).toMatchObject({
        status: 401,
        body: { error_name: 'TokenVerificationError', code: 401, data: { token: expect.any(String) } },
      });
    },
  );
});

describe('bad requests', () => {
  it('refuses broken JSON', async () => {
    const broken = { method: 'POST', body: '{"page": 1' };
    expect(await raw('/v2/prospecting', broken)).toMatchObject({ status: 400, body: { body: [expect.any(String)] } });
    expect(await raw('/v1/finder/tenders', broken)).toMatchObject({
      status: 406,
      body: { error_name: 'InvalidRequest' },
    });
  });

  it('refuses a body that is no object', async () => {
    for (const body of ['[]', '"x"', '17', 'null']) {
      const { status } = await raw('/v2/prospecting', { method: 'POST', body });
      expect(status).toBe(400);
    }
  });

  it('refuses a body that is too large or of another media type', async () => {
    expect((await raw('/v2/prospecting', { method: 'POST', body: `"${'x'.repeat(2_000_000)}"` })).status).toBe(413);
    const xml = { method: 'POST', body: '<a/>', headers: { 'content-type': 'text/xml' } };
    expect((await raw('/v2/prospecting', xml)).status).toBe(415);
  });

  it('refuses a body nested 400,000 levels deep', async () => {
    const body = '['.repeat(400_000) + ']'.repeat(400_000);
    expect((await raw('/v2/prospecting', { method: 'POST', body })).status).toBe(400);
  });

  it('answers 400 to bytes that are no HTTP', async () => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.write('HELLO\r\n\r\n');
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('{"detail":');
  });

  it('answers 431 to a header of 100,000 bytes', async () => {
    const { status } = await raw('/v2/metrics', { headers: { 'x-long': 'y'.repeat(100_000) } });
    expect(status).toBe(431);
  });

  it('answers 404 to unknown routes and 405 to wrong methods', async () => {
    expect(await raw('/v2/nothing')).toMatchObject({ status: 404, body: { detail: 'Not found.' } });
    expect(await raw('/v1/finder/nothing')).toMatchObject({ status: 404, body: { error_name: 'IdNotFound' } });
    expect(await raw('/somewhere')).toMatchObject({ status: 404, body: { detail: 'Not found.' } });
    expect(await raw('/v2/prospecting')).toMatchObject({
      status: 405,
      allow: 'POST',
      body: { detail: expect.any(String) },
    });
    expect(await raw('/v2/companies/12', { method: 'PATCH' })).toMatchObject({ status: 405, allow: 'GET' });
  });

  it('rejects __proto__ keys', async () => {
    const body = '{"filters":{"__proto__":{"company_status":[199]},"constructor":1}}';
    expect((await raw('/v2/prospecting', { method: 'POST', body })).status).toBe(400);
  });
});

describe('statuses of version 2', () => {
  it('answers with the configured error statuses', async () => {
    const other = await startApp({
      dailyLimit: 1,
      statuses: {
        token: 403,
        invalid: 422,
        notFound: 410,
        limit: 402,
        permission: 423,
        internal: 503,
        autocomplete: 409,
      },
    });
    expect((await other.send('POST', '/v2/prospecting', { page: 0 })).status).toBe(422);
    expect((await other.get('/v2/companies/1')).status).toBe(410);
    expect((await other.get('/v2/companies/1')).status).toBe(402);
    expect((await fetch(`${other.url}/v2/metrics`)).status).toBe(403);
    await other.close();
  });
});
