import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { countRequestsTo } from '../../../bench/capacity/count-requests.js';

it('counts requests by kind and bytes, and passes on host, status and body', async () => {
  const hosts = new Set<string | undefined>();
  const server = createServer((request, response) => {
    hosts.add(request.headers.host);
    request.resume().on('end', () => {
      response.writeHead(request.method === 'PUT' ? 412 : 200).end(`answer to ${request.url}`);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await countRequestsTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const call = (method: string, at: string, body?: Uint8Array) =>
    fetch(`${proxy.url}${at}`, { method, body: body ?? null });
  try {
    const refused = await call('PUT', '/bucket/a', new Uint8Array(2 ** 20));
    expect([refused.status, await refused.text()]).toEqual([412, 'answer to /bucket/a']);
    for (const [method, at] of [
      ['POST', '/bucket/a?uploads='],
      ['GET', '/bucket/?list-type=2&prefix=a'],
      ['GET', '/bucket/a'],
      ['HEAD', '/bucket/a'],
      ['DELETE', '/bucket/a'],
    ] as const)
      await (await call(method, at)).text();
    expect(proxy.take()).toEqual({ writes: 3, reads: 2, removes: 1, sentMiB: 1 });
    expect(proxy.take()).toEqual({ writes: 0, reads: 0, removes: 0, sentMiB: 0 });
    expect([...hosts]).toEqual([new URL(proxy.url).host]);
  } finally {
    await proxy.close();
    server.close();
  }
});
