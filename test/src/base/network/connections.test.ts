import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { downloadFile } from '../../../../bootstrap/download-file.mjs';
import { createApiClient, type ApiClient, type TransportError } from '../../../../src/api/index.js';
import { downloadedFile, downloadRates } from '../../../../src/warehouse/rates/download-rates.js';
import { fetchThrough } from '../../../../src/base/network/connections.js';
import type { Message } from '../../../../src/serve/alerts/message.js';
import { sendWebhook } from '../../../../src/serve/alerts/send-webhook.js';
import { Bucket } from '../../../../src/store/s3/bucket.js';
import { S3Client } from '../../../../src/store/s3/client.js';
import { rejection } from '../../api/helpers.js';
import { setEnvironment, startForwardProxy, type ForwardProxy } from './helpers.js';

/* Hosts end in .invalid, which no resolver knows: without the proxy, nothing here has an answer. */

const KEY = 'a-key-of-the-test';
const GOOD = { id: 1, name: 'A' };
const NONE = {
  http_proxy: undefined,
  HTTP_PROXY: undefined,
  https_proxy: undefined,
  HTTPS_PROXY: undefined,
  no_proxy: undefined,
  NO_PROXY: undefined,
};

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

/** A server on this machine, which is reached through the proxy only. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<number> {
  return listen(createServer({ keepAlive: false }, answer));
}

async function proxy(upstream: number, refusal?: number): Promise<ForwardProxy> {
  const started = await startForwardProxy(upstream, refusal);
  cleanups.push(() => started.close());
  return started;
}

function withEnvironment(values: Record<string, string>): void {
  cleanups.push(setEnvironment({ ...NONE, ...values }));
}

function client(baseUrl: string): ApiClient {
  const opened = createApiClient({ baseUrl, apiKey: KEY, allowHttp: true, maxRetries: 0, timeoutMs: 5_000 });
  cleanups.push(() => opened.close());
  return opened;
}

function folder(): string {
  const dir = mkdtempSync(path.join(tmpdir(), 'tidemark-network-'));
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

describe('through the proxy of the environment', () => {
  it.each(['http_proxy', 'HTTP_PROXY'])('calls the API over http: %s', async (variable) => {
    const heads: IncomingMessage['headers'][] = [];
    const upstream = await serve(({ headers }, response) => {
      heads.push(headers);
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(JSON.stringify(GOOD)));
    });
    const via = await proxy(upstream);
    withEnvironment({ [variable]: via.url.replace('//', '//user:p%40ss@') });
    const api = client('http://company-data.invalid/base');
    expect((await api.v2.company(1)).data).toEqual(GOOD);
    expect(via.seen).toEqual(['GET http://company-data.invalid/base/v2/companies/1 user:p@ss']);
    expect(heads[0]).toMatchObject({
      host: 'company-data.invalid',
      authorization: `Token ${KEY}`,
      'accept-encoding': 'gzip',
    });
  });

  it('opens tunnels to the API over https', async () => {
    const hellos: Buffer[] = [];
    const upstream = await listen(
      createTcpServer((socket) => void socket.once('data', (data) => (hellos.push(data), socket.destroy()))),
    );
    const via = await proxy(upstream);
    withEnvironment({ HTTPS_PROXY: via.url.replace('//', '//user:secret@'), HTTP_PROXY: 'http://127.0.0.1:1' });
    await rejection(client('https://company-data.invalid').v2.company(1));
    expect(via.seen).toEqual(['CONNECT company-data.invalid:443 user:secret']);
    // The first bytes in the tunnel begin a TLS handshake.
    expect(hellos[0]?.[0]).toBe(0x16);
    expect(hellos[0]?.toString('latin1')).toContain('company-data.invalid');
  });

  it('never calls this machine, or a host of NO_PROXY', async () => {
    const upstream = await serve((_request, response) => response.end(JSON.stringify(GOOD)));
    const via = await proxy(upstream);
    withEnvironment({ http_proxy: via.url, no_proxy: 'company-data.invalid' });
    expect((await client(`http://127.0.0.1:${upstream}`).v2.company(1)).data).toEqual(GOOD);
    expect((await client(`http://localhost:${upstream}`).v2.company(1)).data).toEqual(GOOD);
    expect(await rejection(client('http://company-data.invalid').v2.company(1))).toMatchObject({ code: 'ENOTFOUND' });
    expect(via.seen).toEqual([]);
  });

  it.each<[address: string, status: number, message: RegExp, retryable: boolean]>([
    ['http://api.invalid', 407, /the proxy http:\/\/127.0.0.1:\d+ \(HTTP_PROXY\) asks for a user and password/, false],
    ['https://api.invalid', 407, /the proxy http:\/\/127.0.0.1:\d+ \(HTTP_PROXY\) asks for a user and password/, false],
    ['https://api.invalid', 403, /refuses the connection to api.invalid:443 \(status 403\)/, false],
    ['https://api.invalid', 502, /refuses the connection to api.invalid:443 \(status 502\)/, true],
    ['http://api.invalid', 502, /an HTML or XML page \(of the proxy http:\/\/127.0.0.1:\d+ \(HTTP_PROXY\)\?\)/, true],
  ])('names the proxy that answers to %s with %i', async (address, status, message, retryable) => {
    const via = await proxy(1, status);
    withEnvironment({ HTTP_PROXY: via.url });
    const error = await rejection<TransportError>(client(address).v2.company(1));
    expect(error.message).toMatch(message);
    expect(error.retryable).toBe(retryable);
  });

  it.each(['http', 'https'])('names the proxy that does not answer: %s', async (scheme) => {
    withEnvironment({ HTTP_PROXY: 'http://user:secret@127.0.0.1:1' });
    const error = await rejection<TransportError>(client(`${scheme}://api.invalid`).v2.company(1));
    expect(error).toMatchObject({ unsent: true, retryable: true, code: 'PROXY_UNREACHABLE' });
    expect(error.message).toContain('the proxy http://127.0.0.1:1 (HTTP_PROXY) does not answer: connect ECONNREFUSED');
    expect(error.message).not.toContain('secret');
  });

  it('refuses a proxy that it cannot use before the first call', () => {
    withEnvironment({ HTTPS_PROXY: 'socks5://user:secret@127.0.0.1:1' });
    expect(() => client('https://api.invalid')).toThrow('HTTPS_PROXY names a socks5 proxy');
  });

  // The MD5 of the content, as the ETag of S3.
  const VERSION = createHash('md5').update('content').digest('hex');
  it.each(['http', 'https'])('reads and writes objects: %s', async (scheme) => {
    let metadata: [string, string][] = [];
    const upstream = await serve(({ method, headers }, response) => {
      expect(headers.host).toBe('store.invalid');
      if (method === 'PUT')
        metadata = Object.entries(headers).flatMap(([name, value]) =>
          name.startsWith('x-amz-meta-') ? [[name, String(value)]] : [],
        );
      for (const [name, value] of metadata) response.setHeader(name, value);
      response.setHeader('etag', `"${VERSION}"`);
      if (method === 'PUT') return void response.end();
      // A gateway that compresses in spite of `accept-encoding: identity`.
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync('content'));
    });
    const via = await proxy(upstream, scheme === 'https' ? 403 : undefined);
    withEnvironment({ HTTP_PROXY: via.url });
    const env = { ...process.env, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
    const settings = { bucket: 'bucket', prefix: '', endpoint: `${scheme}://store.invalid` };
    const bucket = new Bucket(new S3Client(settings, env, { forMs: 0, pauseMs: 1, longestMs: 1 }), 10);
    if (scheme === 'https') {
      const error = await rejection(bucket.read('a'));
      expect(error.message).toMatch(/the proxy http:\/\/127.0.0.1:\d+ \(HTTP_PROXY\) refuses .* store.invalid:443/);
      return;
    }
    expect(await bucket.create('a', Buffer.from('content'))).toBe(VERSION);
    expect((await bucket.read('a'))?.body.toString()).toBe('content');
    const file = path.join(folder(), 'copy');
    expect(await bucket.download('a', file)).toMatchObject({ bytes: 7 });
    expect(via.seen.map((line) => line.split(' ', 2).join(' '))).toEqual([
      'PUT http://store.invalid/bucket/a',
      'GET http://store.invalid/bucket/a',
      'GET http://store.invalid/bucket/a',
    ]);
  });

  it('sends alerts, and quotes a compressed answer', async () => {
    const upstream = await serve((request, response) => {
      request.resume();
      response.setHeader('content-encoding', 'gzip');
      response.writeHead(request.url === '/good' ? 200 : 400).end(gzipSync('wrong template'));
    });
    const via = await proxy(upstream);
    withEnvironment({ HTTP_PROXY: via.url });
    const send = async (place: string): Promise<void> =>
      sendWebhook({ address: new URL(place), template: 'json', secret: null, timeoutMs: 5_000 }, MESSAGE);
    await send('http://hooks.invalid/good');
    expect((await rejection(send('http://hooks.invalid/bad'))).message).toContain('400: wrong template');
    expect(via.seen).toEqual(['POST http://hooks.invalid/good', 'POST http://hooks.invalid/bad']);
    withEnvironment({ HTTP_PROXY: 'http://127.0.0.1:1' });
    expect(await rejection(send('https://hooks.invalid'))).toMatchObject({
      message: expect.stringContaining('the proxy http://127.0.0.1:1 (HTTP_PROXY) does not answer') as string,
      todo: expect.stringContaining('NO_PROXY') as string,
      mayHaveArrived: false,
    });
  });

  it('downloads exchange rates', async () => {
    const upstream = await serve((_request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync('date,currency,rate\n'));
    });
    const via = await proxy(upstream);
    withEnvironment({ HTTP_PROXY: via.url });
    const dir = folder();
    const address = 'http://rates.invalid/rates.csv';
    expect(await downloadRates(dir, address)).toBe(true);
    expect(readFileSync(downloadedFile(dir, address), 'utf8')).toBe('date,currency,rate\n');
    withEnvironment({ HTTP_PROXY: 'http://127.0.0.1:1' });
    expect((await rejection(downloadRates(dir, address))).message).toContain('the proxy http://127.0.0.1:1');
  });

  it('downloads what a first start needs, also compressed by a gateway', async () => {
    const program = Buffer.alloc(20_000, 'x');
    const upstream = await serve((_request, response) => {
      const body = gzipSync(program);
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length }).end(body);
    });
    const via = await proxy(upstream);
    withEnvironment({ HTTP_PROXY: via.url });
    const file = path.join(folder(), 'program');
    const options = { what: 'a program', log: () => undefined, fetch: fetchThrough() };
    await downloadFile('http://downloads.invalid/program', file, options);
    expect(readFileSync(file).equals(program)).toBe(true);
    expect(via.seen).toEqual(['GET http://downloads.invalid/program']);
  });
});

const MESSAGE: Message = {
  alert: {
    id: 'a',
    cause: 'partial',
    market: 'demo',
    date: '2026-11-20',
    title: 'Title',
    facts: [],
    todo: 'Do.',
    workflowId: null,
    run: null,
    at: '2026-11-20T03:00:00.000Z',
  },
  key: 'k',
  link: null,
  mayRepeat: false,
};
