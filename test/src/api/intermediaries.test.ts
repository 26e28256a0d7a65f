import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

import { afterEach, describe, expect, it } from 'vitest';

import {
  BodyError,
  ContractError,
  createApiClient,
  TimeoutError,
  type ApiClient,
  type ApiClientOptions,
} from '../../../src/api/index.js';
import { rejection, reply, startStubApi, TEST_KEY, withApi } from './helpers.js';

/*
 * What gateways, caches and proxies may do to an answer: RFC 9110 (semantics), RFC 9111 (caching) and RFC 9112
 * (HTTP/1.1). The server below writes bytes to sockets, so it depends on no HTTP library.
 */

const JSON_TEXT = '{"id":1,"name":"Å"}';
const GOOD = { id: 1, name: 'Å' };

type Piece = string | Buffer;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Answers each request with the pieces, each in its own packet. Closes the connection after it if `close` is set. */
async function startRaw(pieces: readonly Piece[], close: boolean): Promise<{ url: string; heads: string[] }> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setNoDelay(true).on('error', () => undefined);
    socket.on('data', (data) => {
      heads.push(data.toString('latin1'));
      void (async () => {
        for (const piece of pieces) {
          socket.write(piece);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        if (close) socket.end();
      })();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heads };
}

function open(url: string, options: Partial<ApiClientOptions> = {}): ApiClient {
  const client = createApiClient({ baseUrl: url, apiKey: TEST_KEY, maxRetries: 0, ...options });
  cleanups.push(() => client.close());
  return client;
}

function answer(body: Piece, headers: string[] = [], status = '200 OK'): Piece {
  const bytes = Buffer.from(body);
  const lines = [`HTTP/1.1 ${status}`, ...headers];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes]);
}

const PLAIN = answer(JSON_TEXT);
const chunked = (body: string, headers = ''): Piece =>
  `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n${headers}\r\n${body}`;
const hex = (text: string): string => Buffer.byteLength(text).toString(16);

const CODED: [what: string, body: Buffer, header: string][] = [
  ['gzip', gzipSync(JSON_TEXT), 'Content-Encoding: gzip'],
  ['x-gzip', gzipSync(JSON_TEXT), 'Content-Encoding: x-gzip'],
  ['a header in other case and with spaces', gzipSync(JSON_TEXT), 'CONTENT-ENCODING:   GZip  '],
  ['deflate with the header of zlib', deflateSync(JSON_TEXT), 'Content-Encoding: deflate'],
  ['deflate without the header of zlib', deflateRawSync(JSON_TEXT), 'Content-Encoding: deflate'],
  ['br', brotliCompressSync(JSON_TEXT), 'Content-Encoding: br'],
  ['two codings in one line', brotliCompressSync(gzipSync(JSON_TEXT)), 'Content-Encoding: gzip, br'],
  ['two codings in two lines', deflateSync(gzipSync(JSON_TEXT)), 'Content-Encoding: gzip\r\nContent-Encoding: deflate'],
  [
    'gzip of several members',
    Buffer.concat([gzipSync(JSON_TEXT.slice(0, 5)), gzipSync(JSON_TEXT.slice(5))]),
    'Content-Encoding: gzip',
  ],
  ['identity', Buffer.from(JSON_TEXT), 'Content-Encoding: identity'],
  ['an empty coding', Buffer.from(JSON_TEXT), 'Content-Encoding: '],
  ['identity beside gzip', gzipSync(JSON_TEXT), 'Content-Encoding: gzip, identity,'],
  ['gzip with a byte order mark', gzipSync(`\ufeff${JSON_TEXT}`), 'Content-Encoding: gzip'],
];

const PASSED: [what: string, pieces: Piece[], close?: boolean][] = [
  ['Age, Via and Warning', [answer(JSON_TEXT, ['Age: 12', 'Via: 1.1 gate', 'Warning: 110 - "stale"'])]],
  ['status 203', [answer(JSON_TEXT, [], '203 Non-Authoritative Information')]],
  ['100 Continue first', [`HTTP/1.1 100 Continue\r\n\r\n`, PLAIN]],
  [
    '100 Continue in the same packet',
    [Buffer.concat([Buffer.from('HTTP/1.1 100 Continue\r\n\r\n'), Buffer.from(PLAIN)])],
  ],
  ['100 Continue in two packets', ['HTTP/1.1 10', '0 Continue\r\nServer: gate\r', '\n\r\n', PLAIN]],
  ['102 Processing first', [`HTTP/1.1 102 Processing\r\n\r\n`, PLAIN]],
  ['103 Early Hints twice', [`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n`.repeat(2), PLAIN]],
  ['100, then 103', ['HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n', PLAIN]],
  [
    'header names in any case',
    [`HTTP/1.1 200 OK\r\ncOnTeNt-lEnGtH: ${Buffer.byteLength(JSON_TEXT)}\r\n\r\n${JSON_TEXT}`],
  ],
  ['Connection: close', [answer(JSON_TEXT, ['Connection: close'])], true],
  ['a body that ends with the connection', [`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${JSON_TEXT}`], true],
  ['HTTP/1.0', [`HTTP/1.0 200 OK\r\n\r\n${JSON_TEXT}`], true],
  [
    'chunks with extensions and trailers',
    [chunked(`${hex(JSON_TEXT)};a=b;c="d"\r\n${JSON_TEXT}\r\n0\r\nX-Sum: 1\r\n\r\n`, 'Trailer: X-Sum\r\n')],
  ],
  [
    'chunks in many packets',
    [chunked(''), ...Array.from(JSON_TEXT, (sign) => `${hex(sign)}\r\n${sign}\r\n`), '0\r\n\r\n'],
  ],
  ['no reason phrase', [Buffer.from(Buffer.from(PLAIN).toString('latin1').replace('200 OK', '200 '), 'latin1')]],
  [
    'headers that occur twice',
    [answer(JSON_TEXT, ['Date: Sat, 21 Nov 2026 02:00:00 GMT', 'Date: Sat, 21 Nov 2026 02:00:01 GMT'])],
  ],
  ['a byte order mark', [answer(`\ufeff${JSON_TEXT}`)]],
  ['another charset declared', [answer(JSON_TEXT, ['Content-Type: application/json; charset=ISO-8859-1'])]],
  ['an entity tag and Vary', [answer(JSON_TEXT, ['ETag: W/"1"', 'Vary: Accept-Encoding'])]],
];

describe('what a gateway, cache or proxy may do to an answer', () => {
  it.each(CODED)('decompresses %s', async (_what, body, header) => {
    const { url } = await startRaw([answer(body, [header])], false);
    expect(await open(url).v2.company(1)).toMatchObject({ data: GOOD, attempts: 1 });
  });

  it.each(PASSED)('accepts %s', async (_what, pieces, close = false) => {
    const { url } = await startRaw(pieces, close);
    const client = open(url);
    for (let i = 0; i < 2; i++) expect(await client.v2.company(1)).toMatchObject({ data: GOOD, attempts: 1 });
  });

  it('reads the error in a compressed answer', async () => {
    const body = gzipSync('{"detail":"No company matches the given id."}');
    const { url } = await startRaw([answer(body, ['Content-Encoding: gzip'], '404 Not Found')], false);
    expect(await rejection(open(url).v2.company(1))).toMatchObject({ name: 'NotFoundError', status: 404 });
  });

  it('reads a body that looks like 100 Continue as it is', async () => {
    const name = 'HTTP/1.1 100 Continue\\r\\n\\r\\n';
    const pieces = ['HTTP/1.1 200 OK\r\nContent-Length: 47\r\n\r\n', '{"id":1,"name":"', `${name}"}`];
    const { url } = await startRaw(pieces, false);
    expect((await open(url).v2.company(1)).data.name).toBe(name.replaceAll('\\r\\n', '\r\n'));
  });

  it('asks for no compression on this machine', async () => {
    const { url, heads } = await startRaw([PLAIN], false);
    await open(url).v2.company(1);
    expect(heads[0]).not.toMatch(/accept-encoding/i);
  });
});

describe('a compressed body', () => {
  const huge = gzipSync(Buffer.alloc(64 * 1024 * 1024));

  it.each<[string, Buffer, string]>([
    ['gzip', huge, 'gzip'],
    ['br', brotliCompressSync(Buffer.alloc(8 * 1024 * 1024)), 'br'],
    ['gzip in gzip', gzipSync(huge), 'gzip, gzip'],
  ])('is rejected while it grows beyond the limit: %s', async (_what, body, coding) => {
    const { url } = await startRaw([answer(body, [`Content-Encoding: ${coding}`])], false);
    const before = process.memoryUsage().arrayBuffers;
    const error = await rejection<BodyError>(open(url, { maxBodyBytes: 1024 * 1024 }).v2.company(1));
    expect(error).toBeInstanceOf(BodyError);
    expect(error).toMatchObject({ retryable: false });
    expect(error.message).toContain('larger than 1048576 bytes');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  });

  it('may have exactly the size of the limit', async () => {
    const body = gzipSync(JSON_TEXT.padEnd(4095));
    const { url } = await startRaw([answer(body, ['Content-Encoding: gzip'])], false);
    expect((await open(url, { maxBodyBytes: 4096 }).v2.company(1)).data).toEqual(GOOD);
    expect(await rejection(open(url, { maxBodyBytes: 4095 }).v2.company(1))).toBeInstanceOf(BodyError);
  });

  it('counts with its received bytes', async () => {
    const body = gzipSync(JSON_TEXT.padEnd(4095));
    const { url } = await startRaw([answer(body, ['Content-Encoding: gzip'])], false);
    const received: number[] = [];
    await open(url, { onAttempt: ({ bytes }) => received.push(bytes) }).v2.company(1);
    expect(received).toEqual([body.length]);
  });

  it('is subject to the time limit', async () => {
    const { url } = await startRaw(
      [Buffer.from(answer(gzipSync(JSON_TEXT), ['Content-Encoding: gzip'])).subarray(0, -8)],
      false,
    );
    expect(await rejection(open(url, { timeoutMs: 200 }).v2.company(1))).toBeInstanceOf(TimeoutError);
  });

  it('names the charset of a body that is not UTF-8', async () => {
    const body = Buffer.from(JSON_TEXT, 'utf16le');
    const { url } = await startRaw([answer(body, ['Content-Type: application/json; charset="utf-16"'])], false);
    expect((await rejection(open(url).v2.company(1))).message).toContain('not UTF-8 (it is declared as utf-16)');
  });
});

describe('a redirect within the origin', () => {
  const bounce =
    (status: number, location: string) => (path: string, response: Parameters<typeof reply>[0], port: number) =>
      path.startsWith('/moved')
        ? reply(response, 200, GOOD)
        : reply(response, status, '', { location: location.replace('PORT', String(port)) });

  it.each<[string, number, string]>([
    ['301 with a path', 301, '/moved/1'],
    ['302 with a relative path', 302, '../../moved'],
    ['303', 303, '/moved'],
    ['307 with a whole address', 307, 'http://127.0.0.1:PORT/moved?a=1'],
    ['308 without a scheme', 308, '//127.0.0.1:PORT/moved'],
    ['308 with a fragment', 308, '/moved#part'],
  ])('is followed by GET: %s', async (_what, status, location) => {
    await withApi(
      (request, response) =>
        bounce(status, location)(request.url, response, Number(request.headers.host?.split(':')[1])),
      async ({ client, api }) => {
        expect(await client.v2.company(1)).toMatchObject({
          data: GOOD,
          attempts: 1,
          requestKey: 'GET /v2/companies/1',
        });
        expect(api.seen.map(({ headers }) => headers.authorization)).toEqual([
          `Token ${TEST_KEY}`,
          `Token ${TEST_KEY}`,
        ]);
      },
    );
  });

  it.each([301, 302, 307, 308])('keeps the method and body of a POST: %i', async (status) => {
    const page = { total_companies: 0, total_pages: 0, data: [] };
    await withApi(
      (request, response) =>
        request.url === '/moved' ? reply(response, 200, page) : reply(response, status, '', { location: '/moved' }),
      async ({ client, api }) => {
        await client.v2.prospecting({ page: 1 });
        const [first, second] = api.seen;
        expect(second).toMatchObject({ method: 'POST', url: '/moved', body: first?.body });
      },
    );
  });

  it('does not follow 303 after a POST', async () => {
    await withApi(
      (_request, response) => reply(response, 303, '', { location: '/moved' }),
      async ({ client, api }) => {
        expect(await rejection(client.v2.prospecting({}))).toBeInstanceOf(ContractError);
        expect(api.seen).toHaveLength(1);
      },
    );
  });

  it('ends after five redirects', async () => {
    await withApi(
      (request, response) => reply(response, 302, '', { location: request.url }),
      async ({ client, api }) => {
        const error = await rejection<ContractError>(client.v2.company(1));
        expect(error).toBeInstanceOf(ContractError);
        expect(error.message).toContain('redirects more than 5 times');
        expect(error.retryable).toBe(false);
        expect(api.seen).toHaveLength(6);
      },
    );
  });

  it('shares the time limit of the request', async () => {
    await withApi(
      (request, response, n) => void (n === 1 && reply(response, 302, '', { location: `${request.url}?again` })),
      async ({ client, api }) => {
        expect(await rejection(client.v2.company(1))).toBeInstanceOf(TimeoutError);
        expect(api.seen).toHaveLength(2);
      },
      { timeoutMs: 200, maxRetries: 0 },
    );
  });

  it('never takes the key to another origin', async () => {
    const other = await startStubApi((_request, response) => reply(response, 200, GOOD));
    cleanups.push(() => other.close());
    await withApi(
      (_request, response) => reply(response, 307, '', { location: `${other.url}/v2/companies/1` }),
      async ({ client }) => {
        const error = await rejection(client.v2.company(1));
        expect(error).toBeInstanceOf(ContractError);
        expect(error.message).toContain(`set api.baseUrl to ${other.url} `);
        expect(other.seen).toEqual([]);
      },
    );
  });
});
