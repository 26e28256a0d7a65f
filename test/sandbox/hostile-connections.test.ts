import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { V1Shape, V2Shape } from './error-shapes.js';
import { exchange, RawSocket, statusesOf } from './raw-socket.js';
import { demandUnharmed, startApp, type Running } from './running.js';

/*
 * Sends bytes that no HTTP library would send. Each connection is answered or closed, and other clients are still
 * served.
 */

let app: Running;
let auth: string;
beforeAll(async () => {
  app = await startApp({ companies: 200, tenders: 10, headersTimeout: 1000, requestTimeout: 1500 });
  auth = `Host: sandbox\r\nAuthorization: Token ${app.sandbox.options.key}\r\n`;
});
afterAll(() => app.close());
afterEach(() => demandUnharmed(app));

const CLOSE = 'Connection: close\r\n';
const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\n${auth}${headers}\r\n`;
/** A search with raw headers and body: the caller does the framing. */
const search = (headers: string, body: string): string =>
  `POST /v2/prospecting HTTP/1.1\r\n${auth}Content-Type: application/json\r\n${headers}\r\n${body}`;

function bodyOf(answer: string): unknown {
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4));
}

describe('request paths', () => {
  it.each([
    '/v2/../_sandbox/state',
    '/v2/%2e%2e/_sandbox/state',
    '/v2/companies/%2e%2e%2f%2e%2e%2f_sandbox%2fstate',
    '/v2/companies/%00',
    '/v2/companies/1%2F2',
    '/v2/companies/%c0%ae%c0%ae',
    '/v2/companies/%zz',
    '/v2/companies/%',
    '/v2//metrics',
    '//v2/metrics',
    '/V2/metrics',
    '/v2\\metrics',
    '/v2/metrics;a=1',
    `/v2/companies/${'1'.repeat(600)}`,
    `/v2/${'a'.repeat(9000)}`,
    '/v1/finder/%zz',
    '/api/%zz',
    '/docs%2f..%2fstate',
  ])('answers 404 to the path %s', async (path) => {
    const answer = await exchange(app.url, get(path, CLOSE));
    const shape = path.startsWith('/v1') ? V1Shape : V2Shape;
    expect(answer).toMatch(/^HTTP\/1\.1 404 /);
    expect(shape.safeParse(bodyOf(answer)).success).toBe(true);
  });

  it.each([
    ['a NUL byte in the path', 'GET /v2/companies/1\0 HTTP/1.1\r\n'],
    ['a line break in the path', 'GET /v2/metrics\r\nX: y HTTP/1.1\r\n'],
    ['no slash', 'GET v2/metrics HTTP/1.1\r\n'],
    ['bytes beyond ASCII', 'GET /v2/comp\u00e9 HTTP/1.1\r\n'],
    ['an unknown method', 'FETCH /v2/metrics HTTP/1.1\r\n'],
    ['a method in lower case', 'get /v2/metrics HTTP/1.1\r\n'],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n'],
    ['no protocol', 'GET /v2/metrics\r\n'],
    ['a later protocol version', 'GET /v2/metrics HTTP/2.0\r\n'],
    ['two hosts', 'GET /v2/metrics HTTP/1.1\r\nHost: another\r\n'],
  ])('answers 400 to %s and closes', async (_name, start) => {
    expect(await exchange(app.url, Buffer.from(`${start}${auth}\r\n`, 'latin1'))).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('answers 400 to a TLS greeting and closes', async () => {
    const hello = Buffer.from('1603010200010001fc0303', 'hex');
    expect(await exchange(app.url, hello)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('answers 405 with allowed methods, and opens no tunnel', async () => {
    for (const method of ['TRACE', 'OPTIONS', 'PROPFIND', 'PUT', 'DELETE']) {
      const answer = await exchange(app.url, `${method} /v2/prospecting HTTP/1.1\r\n${auth}${CLOSE}\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 405 [^]*\r\nallow: POST\r\n/i);
    }
    expect(await exchange(app.url, `CONNECT example.test:443 HTTP/1.1\r\n${auth}\r\n`)).toBe('');
  });
});

describe('headers', () => {
  it.each([
    ['100,000 bytes', `X-Long: ${'y'.repeat(100_000)}\r\n`, 431],
    ['5,000 entries', Array.from({ length: 5000 }, (_, n) => `X-${n}: 1\r\n`).join(''), 431],
    ['a NUL byte in a value', 'X-A: a\0b\r\n', 400],
    ['a carriage return in a value', 'X-A: a\rb\r\n', 400],
    ['a folded line', 'X-A: a\r\n b\r\n', 400],
    ['a space before the colon', 'X-A : a\r\n', 400],
    ['no name', ': a\r\n', 400],
    ['no colon', 'X-A\r\n', 400],
  ])('refuses headers with %s', async (_name, header, status) => {
    const answer = await exchange(app.url, get('/v2/metrics', header));
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(V2Shape.safeParse(bodyOf(answer)).success).toBe(true);
  });
});

describe('ambiguous request framing', () => {
  const hidden = get('/v2/companies/1');
  it.each([
    ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', `0\r\n\r\n${hidden}`],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 40\r\n', `{}${hidden}`],
    ['a list of lengths', 'Content-Length: 2, 40\r\n', `{}${hidden}`],
    ['a signed length', 'Content-Length: +2\r\n', `{}${hidden}`],
    ['a length below zero', 'Content-Length: -1\r\n', `{}${hidden}`],
    ['a length in hexadecimals', 'Content-Length: 0x2\r\n', `{}${hidden}`],
    ['a space before the colon of the length', 'Content-Length : 2\r\n', `{}${hidden}`],
    ['an unknown transfer coding', 'Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${hidden}`],
    ['chunked that is not the last coding', 'Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${hidden}`],
    ['chunked after a vertical tab', 'Transfer-Encoding:\u000bchunked\r\n', `0\r\n\r\n${hidden}`],
    ['a chunk without a valid size', 'Transfer-Encoding: chunked\r\n', `ZZ\r\n{}\r\n0\r\n\r\n${hidden}`],
    ['a chunk larger than any body', 'Transfer-Encoding: chunked\r\n', `FFFFFFFFFFFFFFFFF\r\n${hidden}`],
    ['a chunk longer than its size', 'Transfer-Encoding: chunked\r\n', `2\r\n{}more\r\n0\r\n\r\n${hidden}`],
  ])('answers 400 to %s and ignores what follows', async (_name, headers, body) => {
    expect(await statusesOf(app.url, search(headers, body))).toEqual(['400']);
  });

  it('answers 400 to lines that end in LF only', async () => {
    expect(await statusesOf(app.url, get('/v2/metrics').replaceAll('\r', ''))).toEqual(['400']);
  });

  it('reads no second request from bytes beyond Content-Length', async () => {
    const statuses = await statusesOf(app.url, search('Content-Length: 2\r\n', '{}{"page":1}\r\n\r\n'));
    // The first request may or may not be answered before the rest is read.
    expect(['400', '200 400']).toContain(statuses.join(' '));
  });
});

describe('pipelined requests', () => {
  it('answers pipelined requests in order', async () => {
    const raw = new RawSocket(app.url);
    const paths = ['/v2/metrics', '/v2/nothing', '/v2/companies/1', '/health'];
    const many = Array.from({ length: 40 }, (_, n) => paths[n % paths.length]!);
    raw.send(many.map((path) => get(path)).join(''));
    const statuses = await raw.answers(40);
    raw.destroy();
    expect(statuses).toEqual(many.map((path) => (path === '/v2/metrics' || path === '/health' ? '200' : '404')));
  });
});

describe('oversized bodies', () => {
  const chunk = Buffer.alloc(65_536, 0x20);

  it('answers 413 to a large Content-Length before the body is sent', async () => {
    const answer = await exchange(app.url, search('Content-Length: 2000000000\r\n', '{'));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(V2Shape.safeParse(bodyOf(answer)).success).toBe(true);
  });

  it('answers 413 to endless chunks during the upload and closes', async () => {
    const raw = new RawSocket(app.url);
    raw.send(search('Transfer-Encoding: chunked\r\n', ''));
    let sent = 0;
    const size = `${chunk.length.toString(16)}\r\n`;
    while (raw.socket.writable && sent < 2 ** 30) {
      raw.send(Buffer.concat([Buffer.from(size), chunk, Buffer.from('\r\n')]));
      sent += chunk.length;
      await sleep(1);
    }
    expect(await raw.untilClosed()).toMatch(/^(HTTP\/1\.1 413 |$)/);
    expect(sent).toBeLessThan(2 ** 29);
  });

  it('answers 413 in the error shape of version 1 and connector', async () => {
    const large = `"${'x'.repeat(1_100_000)}"`;
    const headers = { authorization: `Token ${app.sandbox.options.key}`, 'content-type': 'application/json' };
    for (const [path, shape] of [
      ['/v1/finder/companies', V1Shape],
      ['/api/prospecting', V2Shape],
    ] as const) {
      const response = await fetch(app.url + path, { method: 'POST', headers, body: large });
      expect([response.status, shape.safeParse(await response.json()).success]).toEqual([413, true]);
    }
  });
});

describe('slow clients', () => {
  /** Sends the bytes one by one until the server closes. */
  async function drip(raw: RawSocket, bytes: string): Promise<string> {
    for (const byte of bytes) {
      if (raw.socket.destroyed || !raw.socket.writable) break;
      raw.send(byte);
      await sleep(20);
    }
    return await raw.untilClosed();
  }

  it('answers 408 to slow headers and closes', async () => {
    const answer = await drip(new RawSocket(app.url), get('/v2/metrics', `X-Slow: ${'z'.repeat(500)}\r\n`));
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('answers 408 to a slow body and closes', async () => {
    const raw = new RawSocket(app.url);
    raw.send(search('Content-Length: 5000\r\n', ''));
    expect(await drip(raw, `{"page": ${' '.repeat(500)}`)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('answers 408 to a slow chunk and closes', async () => {
    const raw = new RawSocket(app.url);
    raw.send(search('Transfer-Encoding: chunked\r\n', 'FF\r\n'));
    expect(await drip(raw, `{"page": ${' '.repeat(500)}`)).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('closes idle connections', async () => {
    expect(await new RawSocket(app.url).untilClosed()).toMatch(/^(HTTP\/1\.1 408 |$)/);
  });

  it('closes half-open connections after an error', async () => {
    const crowd = Array.from({ length: 30 }, () => new RawSocket(app.url, { allowHalfOpen: true }));
    for (const raw of crowd) raw.send('HELLO\r\n\r\n');
    for (const raw of crowd) expect(await raw.answers(1)).toEqual(['400']);
    await untilFewAreOpen();
    for (const raw of crowd) raw.destroy();
  });
});

/** Waits until only connections of this test's own client are open. */
async function untilFewAreOpen(): Promise<void> {
  while ((await app.connections()) > 10) await sleep(20);
}

describe('many connections', () => {
  it('keeps serving while 400 silent connections are open, then closes them', async () => {
    const crowd = Array.from({ length: 400 }, () => new RawSocket(app.url));
    for (const raw of crowd) raw.send('GET /v2/metrics HTTP/1.1\r\n');
    for (let n = 0; n < 20; n++) expect((await app.get('/v2/metrics')).status).toBe(200);
    for (const answer of await Promise.all(crowd.map((raw) => raw.untilClosed()))) {
      expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
    }
    await untilFewAreOpen();
  });

  it('closes the sandbox although 200 connections stay open', async () => {
    const other = await startApp({ companies: 50, tenders: 0 });
    const crowd = Array.from({ length: 200 }, () => new RawSocket(other.url));
    for (const [n, raw] of crowd.entries())
      raw.send(n % 2 === 0 ? 'POST /v2/prospecting HTTP/1.1\r\n' : get('/health'));
    expect((await other.get('/v2/metrics')).status).toBe(200);
    await other.close();
    await Promise.all(crowd.map((raw) => raw.untilClosed()));
  });
});
