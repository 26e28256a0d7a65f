import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

import { describe, expect, it } from 'vitest';

import {
  type ApiError,
  BodyError,
  ContractError,
  createApiClient,
  InternalApiError,
  TimeoutError,
  TransportError,
} from '../../../src/api/index.js';
import { rejection, reply, startStubApi, TEST_KEY, withApi, type Handler } from './helpers.js';

const good = { id: 1, name: 'A' };

function encoded(response: ServerResponse, body: Buffer, coding = 'gzip'): void {
  response.setHeader('content-encoding', coding);
  response.end(body);
}

const faults: [string, Handler, abstract new (...args: never[]) => ApiError][] = [
  ['an HTML page under 200', (_q, r) => reply(r, 200, '<html>Please wait</html>'), BodyError],
  ['an HTML page under 502', (_q, r) => reply(r, 502, '<!doctype html><p>Bad gateway'), BodyError],
  ['an HTML page under 404', (_q, r) => reply(r, 404, '<html>nginx</html>'), BodyError],
  ['an empty body', (_q, r) => reply(r, 200, ''), BodyError],
  ['JSON that ends early', (_q, r) => reply(r, 200, '{"id":1,"name":"A'), BodyError],
  [
    'a body shorter than announced',
    (_q, r) =>
      void (r.writeHead(200, { 'content-length': '999' }), r.write('{"id":1'), setTimeout(() => r.destroy(), 5)),
    BodyError,
  ],
  ['a chunked body that is cut', (_q, r) => void (r.write('{"id":1'), setTimeout(() => r.destroy(), 5)), BodyError],
  ['a reset before any answer', (_q, r) => void r.destroy(), TransportError],
  ['a body that is not UTF-8', (_q, r) => void r.end(Buffer.from('{"name":"\xe9"}', 'latin1')), BodyError],
  ['a compressed body that is cut', (_q, r) => encoded(r, gzipSync('{"id":1}').subarray(0, 20)), BodyError],
  ['a damaged compressed body', (_q, r) => encoded(r, Buffer.from('{"id":1,"name":"A"}')), BodyError],
  ['an unknown compression', (_q, r) => encoded(r, Buffer.from('x'), 'zstd'), BodyError],
  ['an internal error', (_q, r) => reply(r, 500, { detail: 'Internal server error' }), InternalApiError],
  ['a 5xx of unknown shape', (_q, r) => reply(r, 503, { message: 'upstream' }), ContractError],
];

describe('retries after faults', () => {
  it.each(faults)('succeeds on retry after %s', async (_name, fault) => {
    await withApi(
      (request, response, n) => (n <= 2 ? fault(request, response, n) : reply(response, 200, good)),
      async ({ client, attempts }) => {
        const answer = await client.v2.company(1);
        expect(answer).toMatchObject({ data: good, attempts: 3 });
        expect(attempts.map((a) => [a.retry, a.error === null])).toEqual([
          [false, false],
          [true, false],
          [true, true],
        ]);
      },
    );
  });

  it.each(faults)('fails after the last retry with %s', async (_name, fault, expected) => {
    await withApi(
      fault,
      async ({ client, api, attempts }) => {
        const error = await rejection<ApiError>(client.v2.company(1));
        expect(error).toBeInstanceOf(expected);
        expect(error).toMatchObject({ attempts: 3, retryable: true, endpoint: 'GET /v2/companies/{id}' });
        expect(api.seen).toHaveLength(3);
        expect(attempts).toHaveLength(3);
        expect(attempts.every((a) => a.error === error.name)).toBe(true);
      },
      { maxRetries: 2 },
    );
  });
});

describe('faults that no retry can fix', () => {
  it.each<[string, Handler]>([
    ['a listing of another shape', (_q, r) => reply(r, 200, { items: [] })],
    ['an array for a record', (_q, r) => reply(r, 200, [good])],
    ['a 4xx of unknown shape', (_q, r) => reply(r, 404, { message: 'no route matched' })],
    ['a redirect', (_q, r) => reply(r, 301, '', { location: 'https://elsewhere.example/v2' })],
  ])('does not retry %s', async (_name, handler) => {
    await withApi(handler, async ({ client, api }) => {
      const ask = _name.startsWith('a listing') ? client.v2.prospecting({}) : client.v2.company(1);
      expect(await rejection(ask)).toBeInstanceOf(ContractError);
      expect(api.seen).toHaveLength(1);
    });
  });

  it('names the target of a redirect', async () => {
    await withApi(
      (_q, r) => reply(r, 308, '', { location: 'https://elsewhere.example/' }),
      async ({ client }) => {
        expect((await rejection(client.v2.metrics())).message).toContain('https://elsewhere.example/');
      },
    );
  });

  it.each<[string, Handler]>([
    ['announced', (_q, r) => void (r.writeHead(200, { 'content-length': '5000' }), r.end('x'.repeat(5000)))],
    ['not announced', (_q, r) => void (r.write('['.repeat(3000)), r.end('x'.repeat(2000)))],
  ])('rejects a body above the limit, %s', async (_name, handler) => {
    await withApi(
      handler,
      async ({ client, api }) => {
        const error = await rejection(client.v2.company(1));
        expect(error).toBeInstanceOf(BodyError);
        expect(error.message).toContain('larger than 4096 bytes');
        expect(api.seen).toHaveLength(1);
      },
      { maxBodyBytes: 4096 },
    );
  });
});

describe('timeouts', () => {
  it('times out without an answer', async () => {
    await withApi(
      () => {},
      async ({ client, attempts }) => {
        expect(await rejection(client.v2.company(1))).toBeInstanceOf(TimeoutError);
        expect(attempts.map((a) => [a.status, a.error])).toEqual([[0, 'TimeoutError']]);
      },
      { timeoutMs: 40, maxRetries: 0 },
    );
  });

  it('times out on a slow body', async () => {
    const drips: NodeJS.Timeout[] = [];
    await withApi(
      (_q, response) => {
        response.writeHead(200);
        drips.push(setInterval(() => response.write(' '), 5));
      },
      async ({ client, attempts }) => {
        expect(await rejection(client.v2.company(1))).toBeInstanceOf(TimeoutError);
        expect(attempts[0]).toMatchObject({ status: 200, error: 'TimeoutError' });
        expect(attempts[0]?.bytes).toBeGreaterThan(0);
      },
      { timeoutMs: 500, maxRetries: 0 },
    );
    drips.forEach(clearInterval);
  });

  it('aborts a call in flight or waiting when its signal aborts', async () => {
    await withApi(
      (_q, r, n) => (n === 1 ? undefined : reply(r, 500, { detail: 'Internal' }, { 'retry-after': '600' })),
      async ({ client, attempts }) => {
        const reason = new Error('enough');
        const inFlight = new AbortController();
        const first = rejection(client.v2.company(1, { signal: inFlight.signal }));
        setTimeout(() => inFlight.abort(reason), 20);
        expect(await first).toBe(reason);
        expect(attempts).toMatchObject([{ error: 'AbortError', status: 0 }]);
        const waiting = new AbortController();
        const second = rejection(client.v2.company(1, { signal: waiting.signal }));
        setTimeout(() => waiting.abort(reason), 50);
        expect(await second).toBe(reason);
        expect(await rejection(client.v2.company(1, { signal: AbortSignal.abort(reason) }))).toBe(reason);
        expect(attempts).toHaveLength(2);
      },
    );
  });
});

it('names the error code when nothing listens', async () => {
  const api = await startStubApi(() => {});
  await api.close();
  const client = createApiClient({ baseUrl: api.url, apiKey: TEST_KEY, maxRetries: 1, retryBaseMs: 1 });
  const error = await rejection<TransportError>(client.v2.metrics());
  expect(error).toMatchObject({ code: 'ECONNREFUSED', unsent: true, status: 0, attempts: 2 });
  await client.close();
});
