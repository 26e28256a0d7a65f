import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createLimitedServer, type ServerLimits } from '../../../../src/base/network/limited-server.js';

const LIMITS: ServerLimits = { connections: 50, requests: 50, headersMs: 5_000, requestMs: 10_000 };
let server: Server;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

async function listen(handle: RequestListener, limits: Partial<ServerLimits> = {}): Promise<void> {
  server = createLimitedServer({ ...LIMITS, ...limits }, handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** Opens a connection and collects what the server sends. */
function client(): { socket: Socket; text: () => string; ended: Promise<unknown>; send: (paths: string[]) => void } {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  let text = '';
  socket.on('data', (data: Buffer) => (text += data.toString()));
  const send = (paths: string[]): void =>
    void socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
  return { socket, text: () => text, ended: once(socket, 'close'), send };
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 5));
}

it('answers the requests of a connection one after the other, in their order', async () => {
  let running = 0;
  let most = 0;
  await listen((request, response) => {
    most = Math.max(most, ++running);
    setTimeout(() => {
      running--;
      response.end(`[${request.url}]`);
    }, 5);
  });
  const one = client();
  one.send(['/1', '/2', '/3', '/4', '/5']);
  await until(() => one.text().includes('[/5]'));
  expect(one.text().match(/\[\/\d\]/g)).toEqual(['[/1]', '[/2]', '[/3]', '[/4]', '[/5]']);
  expect(most).toBe(1);
});

it('does not begin waiting requests of a client that went away', async () => {
  const seen: (string | undefined)[] = [];
  let closed = 0;
  await listen((request, response) => {
    seen.push(request.url);
    response.on('close', () => closed++);
  });
  const one = client();
  one.send(['/1', '/2', '/3']);
  await until(() => seen.length > 0);
  one.socket.destroy();
  await until(() => closed === 1);
  const other = client();
  other.send(['/other']);
  await until(() => seen.includes('/other'));
  expect(seen).toEqual(['/1', '/other']);
});

it('closes a connection that sends a hundred requests at once', async () => {
  let seen = 0;
  await listen(() => seen++);
  const one = client();
  one.send(Array.from({ length: 100 }, (_, i) => `/${i}`));
  await one.ended;
  expect(seen).toBe(1);
});

it('answers 503 to requests above the limit, and takes the next ones again', async () => {
  const open: (() => void)[] = [];
  await listen((_request, response) => void open.push(() => response.end('done')), { requests: 3 });
  const clients = Array.from({ length: 5 }, client);
  for (const [i, one] of clients.entries()) {
    one.send(['/']);
    await until(() => (i < 3 ? open.length === i + 1 : one.text() !== ''));
  }
  expect(clients.map((one) => one.text().split('\r\n')[0])).toEqual([
    '',
    '',
    '',
    'HTTP/1.1 503 Service Unavailable',
    'HTTP/1.1 503 Service Unavailable',
  ]);
  expect(clients[4]?.text()).toMatch(/retry-after: 1/i);
  for (const finish of open.splice(0)) finish();
  await until(() => clients.slice(0, 3).every((one) => one.text().includes('done')));
  const later = client();
  later.send(['/']);
  await until(() => open.length === 1);
});

it('frees the place of a client that goes away', async () => {
  let seen = 0;
  await listen(() => seen++, { requests: 1 });
  for (let i = 1; i <= 5; i++) {
    const one = client();
    one.send(['/', '/', '/']);
    await until(() => seen === i || one.text().includes('503'));
    if (seen !== i) i--;
    one.socket.destroy();
    await one.ended;
  }
  expect(seen).toBe(5);
});

it('closes connections above the limit', async () => {
  await listen((_request, response) => void response.end(), { connections: 2 });
  const kept = [client(), client()];
  for (const one of kept) one.send(['/']);
  await until(() => kept.every((one) => one.text() !== ''));
  await client().ended;
  expect(kept.every((one) => !one.socket.destroyed)).toBe(true);
});

it('closes a connection whose client does not take its answer', async () => {
  let closed = false;
  await listen(
    (_request, response) => {
      response.on('close', () => (closed = true));
      response.end(Buffer.alloc(64 * 2 ** 20));
    },
    { stallMs: 50 },
  );
  const one = client();
  one.socket.pause();
  one.send(['/']);
  await until(() => closed);
  expect(one.text()).toBe('');
});

it('does not close a connection while its answer is being made', async () => {
  await listen((_request, response) => void setTimeout(() => response.end('late'), 300), { stallMs: 20 });
  const one = client();
  one.send(['/']);
  await until(() => one.text().includes('late') || one.socket.destroyed);
  expect(one.text()).toContain('late');
});

it.each([
  ['headers that never end', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ['a body that never ends', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf'],
])('closes a connection with %s', async (_, text) => {
  await listen((request, response) => void request.resume().on('end', () => response.end()), {
    headersMs: 100,
    requestMs: 100,
  });
  const one = client();
  one.socket.write(text);
  await one.ended;
  expect(one.text()).toMatch(/^(HTTP\/1.1 408|$)/);
});

it('refuses a huge address', async () => {
  await listen((_request, response) => void response.end());
  const one = client();
  one.send([`/${'x'.repeat(100_000)}`]);
  await one.ended;
  expect(one.text()).toMatch(/^HTTP\/1.1 431/);
});
