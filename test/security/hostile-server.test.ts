import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer as createTlsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BodyError, createApiClient, TransportError } from '../../src/api/index.js';
import { cleanEnv, compiled, ROOT } from '../helpers/processes.js';
import { rejection, reply, startStubApi, TEST_KEY, withApi } from '../src/api/helpers.js';

const TLS = path.join(ROOT, 'test', 'fixtures', 'tls');
const MIB = 1024 * 1024;

describe('TLS', () => {
  it('refuses an untrusted certificate at once, sends nothing, and names the remedy', async () => {
    const server = await startTls();
    const client = createApiClient({ baseUrl: server.url, apiKey: TEST_KEY, maxRetries: 3, retryBaseMs: 1 });
    onTestFinished(() => client.close());
    const error = await rejection<TransportError>(client.v2.metrics());
    expect(error).toBeInstanceOf(TransportError);
    expect(error).toMatchObject({ attempts: 1, retryable: false });
    expect(error.message).toMatch(/certificate is not trusted and nothing was sent\. For .*NODE_EXTRA_CA_CERTS/);
    expect(server.requests).toEqual([]);
  });

  it('ignores NODE_TLS_REJECT_UNAUTHORIZED and accepts a CA from NODE_EXTRA_CA_CERTS', async () => {
    const [untrusted, trusted] = [await startTls(), await startTls()];
    const found = await Promise.all([
      doctor(untrusted.url, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }),
      doctor(trusted.url, { NODE_EXTRA_CA_CERTS: path.join(TLS, 'ca.pem') }),
    ]);
    expect(found).toMatchObject([
      { state: 'fail', message: expect.stringContaining('certificate is not trusted') as string },
      { state: 'ok' },
    ]);
    expect(untrusted.requests).toEqual([]);
    expect(trusted.requests).toEqual(['GET /v2/metrics', 'POST /api/verify-token']);
  });

  it('refuses a valid certificate for another name', async () => {
    const server = await startTls();
    // 127.0.0.2 is this machine, but the certificate does not name it.
    const url = server.url.replace('127.0.0.1', '127.0.0.2');
    expect(await doctor(url, { NODE_EXTRA_CA_CERTS: path.join(TLS, 'ca.pem') })).toMatchObject({ state: 'fail' });
    expect(server.requests).toEqual([]);
  });
});

describe('plain http', () => {
  it.each(['http://api.example.com', 'http://10.0.0.7:4010', 'http://localhost.example.com', 'http://[2001:db8::1]'])(
    'refuses plain http to another machine: %s',
    (baseUrl) => {
      expect(() => createApiClient({ baseUrl, apiKey: 'k' })).toThrow(/plain http to .*could read the key/);
      expect(() => createApiClient({ baseUrl: 'https://api.example.com', connectorUrl: baseUrl, apiKey: 'k' })).toThrow(
        /api\.connectorUrl is plain http/,
      );
      expect(() => createApiClient({ baseUrl, apiKey: 'k', allowHttp: true })).not.toThrow();
    },
  );

  it.each(['http://127.0.0.1:4010', 'http://localhost', 'http://[::1]:1', 'http://127.8.9.10'])(
    'allows plain http within this machine: %s',
    (baseUrl) => {
      expect(() => createApiClient({ baseUrl, apiKey: 'k' })).not.toThrow();
    },
  );
});

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('follows no %i redirect to another origin', async (status) => {
    const elsewhere = await startStubApi((_q, r) => reply(r, 200, []));
    onTestFinished(() => elsewhere.close());
    const targets = [`${elsewhere.url}/v2/metrics`, `//${new URL(elsewhere.url).host}/v2/metrics`];
    await withApi(
      (_q, response, n) => reply(response, status, '', { location: targets[n - 1] ?? '' }),
      async ({ client, api }) => {
        for (const target of targets) {
          const error = await rejection(client.v2.metrics());
          expect(error.message).toContain(`redirects to ${target}`);
        }
        expect(api.seen.map(({ url }) => url)).toEqual(targets.map(() => '/v2/metrics'));
        expect(elsewhere.seen).toEqual([]);
      },
    );
  });

  it.each([301, 302, 303, 307, 308])('ends an endless chain of %i redirects within the origin', async (status) => {
    await withApi(
      (_q, response, n) => reply(response, status, '', { location: `/v2/other${n}` }),
      async ({ client, api }) => {
        const error = await rejection(client.v2.metrics());
        expect(error.message).toContain('redirects more than 5 times');
        expect(api.seen.map(({ url }) => url)).toEqual(['/v2/metrics', ...[1, 2, 3, 4, 5].map((n) => `/v2/other${n}`)]);
      },
    );
  });
});

describe('large response bodies', () => {
  const bomb = Buffer.alloc(64 * MIB, 'x');
  const layers = (): Buffer => {
    let packed = gzipSync(bomb);
    for (let i = 0; i < 8; i++) packed = gzipSync(packed);
    return packed;
  };

  it.each<[string, string, () => Buffer, problem: string]>([
    ['gzip', 'gzip', () => gzipSync(bomb), 'larger than'],
    ['brotli', 'br', () => brotliCompressSync(bomb), 'larger than'],
    ['deflate', 'deflate', () => deflateSync(bomb), 'larger than'],
    ['zstd', 'zstd', () => Buffer.from('28b52ffda40000000400010000', 'hex'), 'compressed as "zstd"'],
    ['many layers', Array(9).fill('gzip').join(', '), layers, 'compressed 9 times'],
  ])('refuses a small body that would become large: %s', async (_name, encoding, make, problem) => {
    const packed = make();
    await withApi(
      (_q, response) => {
        response.writeHead(200, { 'content-encoding': encoding });
        response.end(packed);
      },
      async ({ client, attempts }) => {
        const error = await rejection(client.v2.company(1));
        expect(error).toBeInstanceOf(BodyError);
        expect(error.message).toContain(problem);
        expect(Math.max(...attempts.map(({ bytes }) => bytes))).toBeLessThanOrEqual(packed.length);
      },
      { maxRetries: 0 },
    );
  });

  it('drops an endless body at the limit', async () => {
    let sent = 0;
    await withApi(
      (_q, response) => {
        const pour = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(MIB, ' '))) sent += MIB;
          if (!response.destroyed) response.once('drain', pour);
        };
        pour();
      },
      async ({ client, attempts }) => {
        expect((await rejection(client.v2.company(1))).message).toContain('larger than 33554432 bytes');
        expect(attempts).toHaveLength(1);
        expect(attempts[0]?.bytes).toBeLessThan(34 * MIB);
        expect(sent).toBeLessThan(80 * MIB);
      },
    );
  });

  it('reads a body of one-byte chunks in bounded memory', async () => {
    const count = 4_000_000;
    const server = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      socket.write('1\r\n[\r\n');
      for (let i = 0; i < 200; i++) socket.write('1\r\n \r\n'.repeat(count / 200));
      socket.write('1\r\n]\r\n0\r\n\r\n');
    });
    const client = createApiClient({ baseUrl: server, apiKey: TEST_KEY, maxRetries: 0 });
    onTestFinished(() => client.close());
    const before = process.memoryUsage().rss;
    let highest = before;
    const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 5);
    const answer = await client.v2.financialByTicker('A');
    clearInterval(watch);
    expect(answer.body).toHaveLength(count + 2);
    // Kept separately, 4,000,000 buffers would take about 130 bytes each, plus their memory blocks.
    expect(highest - before).toBeLessThan(256 * MIB);
  });
});

describe('response headers', () => {
  it('fails on megabytes of headers without a retry', async () => {
    const server = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      for (let i = 0; i < 4_000; i++) socket.write(`x-filler-${i}: ${'y'.repeat(1_000)}\r\n`);
      socket.end('content-length: 2\r\n\r\n[]');
    });
    const client = createApiClient({ baseUrl: server, apiKey: TEST_KEY, maxRetries: 2, retryBaseMs: 1 });
    onTestFinished(() => client.close());
    expect(await rejection(client.v2.metrics())).toMatchObject({ code: 'UND_ERR_HEADERS_OVERFLOW', attempts: 1 });
  });

  it('times out on headers that arrive byte by byte', async () => {
    const server = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      const drip = setInterval(() => socket.write('z'), 5);
      socket.on('close', () => clearInterval(drip));
    });
    const client = createApiClient({ baseUrl: server, apiKey: TEST_KEY, maxRetries: 0, timeoutMs: 200 });
    onTestFinished(() => client.close());
    expect(await rejection(client.v2.metrics())).toMatchObject({ name: 'TimeoutError', status: 0 });
  });
});

describe('JSON depth', () => {
  const deep = (levels: number, open: string, close: string): string => open.repeat(levels) + close.repeat(levels);

  it.each<[string, string]>([
    ['arrays', deep(200_000, '[', ']')],
    ['objects', `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`],
    ['arrays that are not closed', '['.repeat(3_000_000)],
    ['levels behind a string of brackets', `{"name":"\\"[[[","deep":${deep(101, '[', ']')}}`],
  ])('rejects JSON beyond 100 levels with BodyError: %s', async (_name, body) => {
    await withApi(
      (_q, r) => reply(r, 200, body),
      async ({ client, attempts }) => {
        for (const ask of [
          () => client.v2.company(1),
          () => client.v2.prospecting({}),
          () => client.v2.financialByTicker('A'),
        ]) {
          const error = await rejection(ask());
          expect(error).toBeInstanceOf(BodyError);
          expect(error.message).toContain('nests deeper than 100 levels');
        }
        expect(attempts).toHaveLength(3);
      },
    );
  });

  it('accepts 500 brackets that do not nest', async () => {
    const wide = { name: '[{'.repeat(500), list: Array.from({ length: 500 }, (_, i) => [{ i }]) };
    await withApi(
      (_q, r) => reply(r, 200, wide),
      async ({ client }) => expect((await client.v2.company(1)).data).toEqual(wide),
    );
  });
});

it('shortens a 5 MiB API message in the error', async () => {
  await withApi(
    (_q, r) => reply(r, 400, { detail: `Internal ${'!'.repeat(5 * MIB)}` }),
    async ({ client }) => expect((await rejection(client.v2.metrics())).message.length).toBeLessThan(1_200),
    { maxRetries: 0 },
  );
});

/** A TLS server with a certificate of an unknown authority. */
async function startTls(): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createTlsServer(
    { key: readFileSync(path.join(TLS, 'server.key')), cert: readFileSync(path.join(TLS, 'server.pem')) },
    (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      response.end('[]');
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** The API check of `tidemark doctor` in another process, because Node reads these settings at start. */
async function doctor(url: string, env: Record<string, string>): Promise<{ state: string; message: string }> {
  const config = path.join(ROOT, 'tidemark.example.yaml');
  const all = { TIDEMARK_CONFIG: config, TIDEMARK_API_URL: url, TIDEMARK_API_KEY: TEST_KEY, ...env };
  const stdout = await new Promise<string>((resolve) => {
    execFile(
      process.execPath,
      compiled(['bin/tidemark.mjs', 'doctor', '--json']),
      { cwd: ROOT, env: cleanEnv({ ...all, TEMPORAL_ADDRESS: '127.0.0.1:1' }) },
      (_error, text) => resolve(text),
    );
  });
  const findings = JSON.parse(stdout) as { check: string; state: string; message: string }[];
  return findings.find(({ check }) => check === 'api') ?? { state: 'missing', message: stdout };
}

/** A server that sends raw bytes. */
async function startRaw(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
