import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  ApiError,
  createApiClient,
  InvalidRequestError,
  LimitError,
  TimeoutError,
  TransportError,
  type ApiClient,
} from '../../../src/api/index.js';
import { TEST_KEY } from './helpers.js';

type Say = (socket: Socket) => void;

/** Sends a text again and again, until the connection ends. */
const endless =
  (start: string, text: string, everyMs = 0): Say =>
  (socket) => {
    socket.write(start);
    const next = (): void => {
      if (socket.destroyed) return;
      const more = (): unknown => setTimeout(next, everyMs);
      if (socket.write(text)) more();
      else socket.once('drain', more);
    };
    next();
  };
const once200 = (body: string, head = ''): string =>
  `HTTP/1.1 200 OK\r\n${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const say =
  (text: string | Buffer): Say =>
  (socket) =>
    void socket.write(text);
const error = (status: number, body: unknown): Say => {
  const text = JSON.stringify(body);
  return say(`HTTP/1.1 ${status} X\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
};

const LONG = 'x'.repeat(1_000_000);
const manyFields = (n: number): Record<string, string[]> =>
  Object.fromEntries(Array.from({ length: n }, (_, i) => [`field_${i}_${'y'.repeat(200)}`, ['wrong '.repeat(100)]]));

/** Runs `use` with a client of a server that says the same to each request. */
async function withHostile<T>(answer: Say, use: (client: ApiClient) => Promise<T>, timeoutMs = 60_000): Promise<T> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('data', () => answer(socket));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = createApiClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: TEST_KEY,
    maxRetries: 0,
    maxBodyBytes: 16 * 2 ** 20,
    timeoutMs,
  });
  try {
    return await use(client);
  } finally {
    for (const socket of sockets) socket.destroy();
    server.close();
    await client.close();
  }
}

const failure = async (answer: Say, timeoutMs?: number): Promise<unknown> =>
  withHostile(
    answer,
    async (client) =>
      client.v2.company(1).then(
        () => null,
        (thrown: unknown) => thrown,
      ),
    timeoutMs,
  );

type Kind = abstract new (...args: never[]) => ApiError;
const refused: [string, Say, Kind][] = [
  ['endless 102 answers', endless('', 'HTTP/1.1 102 Processing\r\n\r\n'.repeat(50)), TransportError],
  ['endless 103 answers with headers', endless('', 'HTTP/1.1 103 H\r\nLink: </a>\r\n\r\n'.repeat(50)), TransportError],
  ['endless 100 answers', endless('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(50)), TransportError],
  [
    'a switch of the protocol',
    say('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'),
    TransportError,
  ],
  ['endless headers', endless('HTTP/1.1 200 OK\r\n', `X-A: ${'b'.repeat(100)}\r\n`), ApiError],
  ['a header of a megabyte', say(`HTTP/1.1 200 OK\r\nX-A: ${LONG}\r\n\r\n`), ApiError],
  ['a name of a header of a megabyte', say(`HTTP/1.1 200 OK\r\n${LONG}: 1\r\n\r\n`), ApiError],
  ['ten thousand cookies', say(`HTTP/1.1 200 OK\r\n${'Set-Cookie: a=b\r\n'.repeat(10_000)}\r\n`), ApiError],
  [
    'an endless body',
    endless('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', `10000\r\n${'x'.repeat(65_536)}\r\n`),
    ApiError,
  ],
  [
    'endless trailers',
    endless('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n', 'X-A: b\r\n'.repeat(100)),
    ApiError,
  ],
  ['a negative length', say('HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}'), ApiError],
  ['a length that is no number', say('HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n{}'), ApiError],
  ['a length of thirty digits', say(`HTTP/1.1 200 OK\r\nContent-Length: ${'9'.repeat(30)}\r\n\r\n{}`), ApiError],
  ['two lengths', say('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}'), ApiError],
  ['a status of four digits', say('HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}'), ApiError],
  ['another protocol', say('SSH-2.0-OpenSSH_9.7\r\n'), ApiError],
  [
    'a body that grows when decompressed',
    (socket) => {
      const body = gzipSync(Buffer.alloc(64 * 2 ** 20));
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    },
    ApiError,
  ],
  ['a coding with a long name', say(once200('{}', `Content-Encoding: ${'z'.repeat(15_000)}\r\n`)), ApiError],
  [
    'a redirect to a long address',
    say(`HTTP/1.1 302 F\r\nLocation: https://x.example/${'a'.repeat(15_000)}\r\nContent-Length: 0\r\n\r\n`),
    ApiError,
  ],
  [
    'a long name of a limit',
    error(429, { error_guard: LONG, message_guard: LONG, access: { module: LONG, more: LONG } }),
    LimitError,
  ],
  ['a permission with many fields', error(403, { detail: 'access denied', access: manyFields(5_000) }), ApiError],
  ['ten thousand wrong fields', error(400, manyFields(10_000)), InvalidRequestError],
  [
    'a field with ninety thousand messages',
    error(400, { name: Array<string>(90_000).fill('no') }),
    InvalidRequestError,
  ],
  [
    'a long list of faults',
    error(422, {
      detail: Array.from({ length: 20_000 }, () => ({ loc: ['body', LONG.slice(0, 500)], msg: 'no', type: 't' })),
    }),
    InvalidRequestError,
  ],
  ['a long reason for 404', error(404, { detail: `not found ${LONG}` }), ApiError],
  [
    'a long name of an error of version 1',
    error(500, { error_name: LONG, message: LONG, code: 500, data: {} }),
    ApiError,
  ],
  ['a page of a megabyte', say(once200(`<html>${LONG}`)), ApiError],
];

describe('the client', () => {
  it.each(refused)('ends a call with %s, and keeps the error small', async (_, answer, kind) => {
    const thrown = await failure(answer, kind === ApiError ? 2_000 : undefined);
    expect(thrown).toBeInstanceOf(kind);
    const { message } = thrown as ApiError;
    expect(message.length).toBeLessThan(1_200);
    // What a log writes of an error.
    expect(JSON.stringify(thrown).length).toBeLessThan(400_000);
    if (thrown instanceof LimitError) expect(JSON.stringify(thrown).length).toBeLessThan(2_000);
  });

  it.each<[string, Say]>([
    ['headers', endless('HTTP/1.1 200 OK\r\n', 'X', 20)],
    ['a body', endless('HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n', ' ', 20)],
    ['a status line', endless('HTTP/1.1 200 ', 'O', 20)],
    ['chunks', endless('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\n \r\n', 20)],
    ['nothing', () => undefined],
  ])('limits the whole time of an answer that trickles %s', async (_, answer) => {
    expect(await failure(answer, 200)).toBeInstanceOf(TimeoutError);
  });

  it.each<[string, string | null]>([
    ['Sat, 21 Nov 2026 02:00:00 GMT', '2026-11-21T02:00:00.000Z'],
    ['Saturday, 21-Nov-26 02:00:00 GMT', '2026-11-21T02:00:00.000Z'],
    ['Sat Nov 21 02:00:00 2026', '2026-11-21T02:00:00.000Z'],
    ['2026-11-21T02:00:00Z', '2026-11-21T02:00:00.000Z'],
    ['Fri, 31 Dec 9999 23:59:59 GMT', null],
    ['Thu, 01 Jan 1970 00:00:00 GMT', null],
    ['Sat, 20 Apr +275760 00:00:00 GMT', null],
    ['-5', null],
    ['May', null],
    ['2026', null],
    ['1790000000', null],
    ['NaN', null],
  ])('reads the header Date %j as %j', async (header, expected) => {
    const { times } = await withHostile(say(once200('{"id":1}', `Date: ${header}\r\n`)), async (client) =>
      client.v2.company(1),
    );
    expect(times.servedAt).toBe(expected);
  });
});
