import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSameAddress } from '../../../../src/serve/webhooks/delivery-path.js';
import { createReceiver } from '../../../../src/serve/webhooks/receiver.js';

const SECRET = 'a-secret-of-the-callback';
const BODY = '{"company_data":{"id":1}}';
const SIGNATURE = createHmac('sha256', SECRET).update(BODY).digest('hex');

describe('the path of a delivery', () => {
  const servers = new Map<string, Server>();
  const others: string[] = [];
  beforeAll(async () => {
    for (const path of ['/events', '/hooks/tide-mark/', '/a%2fb', '/münchen', '/']) {
      const options = { path, secret: SECRET, keep: async () => undefined, onOtherPath: (p: string) => others.push(p) };
      const server = createReceiver(options).listen(0, '127.0.0.1');
      await once(server, 'listening');
      servers.set(path, server);
    }
  });
  afterAll(() => {
    for (const server of servers.values()) server.close();
  });

  /** Sends a delivery whose request line has exactly this target. Returns the status. */
  async function deliver(path: string, target: string): Promise<number> {
    const { port } = servers.get(path)!.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    const head = `POST ${target} HTTP/1.1\r\nHost: receiver\r\nConnection: close\r\nContent-Length: ${BODY.length}`;
    socket.end(`${head}\r\nX-Svc-Signature: ${SIGNATURE}\r\n\r\n${BODY}`);
    let text = '';
    for await (const chunk of socket.setEncoding('utf8')) text += chunk as string;
    return Number(text.split(' ', 2)[1]);
  }

  it.each([
    ['/events', '/events'],
    ['/events', '/events/'],
    ['/events', '//events'],
    ['/events', '/events//'],
    ['/events', '/%65vents'],
    ['/events', '/ev%65nts?source=a%2Fb'],
    ['/events', '/events/?'],
    ['/events', '/./events/.'],
    ['/events', '/other/../events'],
    ['/events', '/%2e/events'],
    ['/events', 'http://receiver.example/events'],
    ['/events', 'https://receiver.example:443/events/?a=1'],
    ['/hooks/tide-mark/', '/hooks/tide-mark'],
    ['/hooks/tide-mark/', '/hooks//tide%2Dmark/'],
    ['/a%2fb', '/a%2Fb'],
    ['/münchen', '/m%c3%bcnchen'],
    ['/', '/'],
    ['/', 'http://receiver.example'],
  ])('%s may be spelled %s', async (path, target) => {
    expect(await deliver(path, target)).toBe(200);
  });

  it.each([
    ['/events', '/Events', '/Events'],
    ['/events', '/event', '/event'],
    ['/events', '/events/more?key=hidden', '/events/more'],
    ['/events', '/', '/'],
    ['/events', '/events%2F', '/events%2F'],
    ['/events', '/events;a=1', '/events;a=1'],
    ['/a%2fb', '/a/b', '/a/b'],
    ['/events', 'http://events', '/'],
    ['/events', '/%zzevents', '/%zzevents'],
    ['/events', '/%1b[31m', '/%1B[31m'],
  ])('%s is not %s, and the refusal names the path', async (path, target, named) => {
    others.length = 0;
    expect(await deliver(path, target)).toBe(404);
    expect(others).toEqual([named]);
  });
});

describe('a callback', () => {
  it.each([
    ['https://Hooks.Example:443/events', 'https://hooks.example/events', true],
    ['https://hooks.example', 'https://hooks.example/', true],
    ['https://hooks.example/a/../events', 'https://hooks.example/events', true],
    ['https://hooks.example/events/', 'https://hooks.example/events', false],
    ['http://hooks.example/events', 'https://hooks.example/events', false],
    ['', 'https://hooks.example', false],
  ])('%s and %s are the same address: %j', (one, other, same) => {
    expect(isSameAddress(one, other)).toBe(same);
  });
});
