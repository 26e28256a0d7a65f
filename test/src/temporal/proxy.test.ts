import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { connectTemporal } from '../../../src/temporal/connect.js';
import { routeToTemporal } from '../../../src/temporal/proxy.js';
import { setEnvironment, startForwardProxy } from '../base/network/helpers.js';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

describe('the way to Temporal', () => {
  it.each(['127.0.0.1', 'localhost'])('never leads through a proxy on this machine: %s', async (host) => {
    let connections = 0;
    const server = createServer((socket) => void (connections++, socket.destroy())).listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => server.close());
    const { port } = server.address() as AddressInfo;
    const proxy = await startForwardProxy(port, 403);
    cleanups.push(() => proxy.close());
    const variables = { http_proxy: proxy.url, https_proxy: proxy.url, HTTP_PROXY: proxy.url, HTTPS_PROXY: proxy.url };
    cleanups.push(setEnvironment({ ...variables, TEMPORAL_ADDRESS: `${host}:${port}`, no_proxy: undefined }));
    await expect(connectTemporal(null, undefined, 500)).rejects.toThrow(`${host}:${port}`);
    expect(proxy.seen).toEqual([]);
    expect(connections).toBeGreaterThan(0);
  });

  it.each(['https_proxy', 'HTTPS_PROXY'])('leads through the proxy to another machine: %s', async (variable) => {
    const proxy = await startForwardProxy(1, 403);
    cleanups.push(() => proxy.close());
    const none = { http_proxy: undefined, https_proxy: undefined, grpc_proxy: undefined, no_proxy: undefined };
    const address = 'temporal.invalid:7233';
    const url = proxy.url.replace('//', '//user:secret@');
    cleanups.push(setEnvironment({ ...none, [variable]: url, TEMPORAL_ADDRESS: address }));
    await expect(connectTemporal(null, undefined, 500)).rejects.toThrow(
      `${address} through the proxy ${proxy.url} (${variable})`,
    );
    expect(proxy.seen[0]).toBe(`CONNECT ${address} user:secret`);
    expect(routeToTemporal(address).native.proxy).toEqual({
      type: 'http-connect',
      targetHost: `127.0.0.1:${proxy.port}`,
      basicAuth: { username: 'user', password: 'secret' },
    });
  });

  it('is direct to hosts of NO_PROXY, and refuses a proxy with TLS', () => {
    const env = { HTTPS_PROXY: 'https://secure', NO_PROXY: 'temporal.example' };
    expect(routeToTemporal('temporal.example:7233', env)).toEqual({
      channelArgs: { 'grpc.enable_http_proxy': 0 },
      native: {},
    });
    expect(() => routeToTemporal('other.example:7233', env)).toThrow('through https://secure (HTTPS_PROXY)');
  });
});
