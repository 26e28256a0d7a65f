import { describe, expect, it } from 'vitest';
import { TidemarkError } from '../../../../src/base/errors.js';
import { findRoute, nameProxy, proxyAuthorization } from '../../../../src/base/network/proxies.js';

const ENV = { HTTP_PROXY: 'http://plain:1', HTTPS_PROXY: 'http://secure:2' };

/** The proxy for an address, or why there is none. */
function routeOf(address: string, env: NodeJS.ProcessEnv): string {
  const route = findRoute(new URL(address), env);
  return route.proxy === null ? route.why : nameProxy(route.proxy);
}

describe('the way to an address', () => {
  it.each<[address: string, env: NodeJS.ProcessEnv, expected: string]>([
    ['http://a.example/', ENV, 'http://plain:1 (HTTP_PROXY)'],
    ['https://a.example/', ENV, 'http://secure:2 (HTTPS_PROXY)'],
    ['https://a.example/', { http_proxy: 'http://plain:1' }, 'http://plain:1 (http_proxy)'],
    ['http://a.example/', { https_proxy: 'http://secure:2' }, 'not set'],
    ['http://a.example/', { ...ENV, http_proxy: 'http://lower:3' }, 'http://lower:3 (http_proxy)'],
    ['http://a.example/', { ...ENV, http_proxy: '' }, 'not set'],
    ['https://a.example/', {}, 'not set'],
    ['https://a.example/', { HTTPS_PROXY: 'secure:2' }, 'http://secure:2 (HTTPS_PROXY)'],
    ['https://a.example/', { HTTPS_PROXY: 'https://secure' }, 'https://secure (HTTPS_PROXY)'],
    ['https://a.example/', { HTTPS_PROXY: 'http://[::1]:3128/' }, 'http://[::1]:3128 (HTTPS_PROXY)'],
    ['https://a.example/', { HTTPS_PROXY: 'http://user:secret@secure:2' }, 'http://secure:2 (HTTPS_PROXY)'],
    ['https://a.example/', { HTTPS_PROXY: 'user:secret@secure:2' }, 'http://secure:2 (HTTPS_PROXY)'],
  ])('to %s with %j is %s', (address, env, expected) => {
    expect(routeOf(address, env)).toBe(expected);
  });

  it.each([
    'http://localhost:7233',
    'http://LOCALHOST',
    'http://explorer.localhost',
    'http://127.0.0.1:80',
    'https://127.255.0.1',
    'http://127.1',
    'http://[::1]:8080',
  ])('is direct to this machine: %s', (address) => {
    expect(routeOf(address, { ...ENV, NO_PROXY: 'other.example' })).toBe('loopback');
  });

  it.each<[address: string, noProxy: string, direct: boolean]>([
    ['https://a.example', '*', true],
    ['https://a.example', 'b.example, *', true],
    ['https://a.example', 'a.example', true],
    ['https://A.Example.', 'a.eXample', true],
    ['https://sub.a.example', 'a.example', true],
    ['https://sub.a.example', '.a.example', true],
    ['https://sub.a.example', '*.a.example', true],
    ['https://nota.example', 'a.example', false],
    ['https://a.example', 'sub.a.example', false],
    ['https://a.example', 'b.example a.example\tc.example', true],
    ['https://a.example', 'a.example:443', true],
    ['https://a.example:8443', 'a.example:443', false],
    ['http://a.example', 'a.example:80', true],
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3:8080', '10.1.2.3', true],
    ['https://10.1.2.3', '10.1.2.3:443', true],
    ['https://10.1.2.30', '1.2.30', false],
    ['https://[fd00::1]', 'fd00::/8', true],
    ['https://[fd00::1]', '[fd00:0:0::1]', true],
    ['https://[fd00::1]', 'fd00::1', true],
    ['https://[fd00::1]:444', '[fd00::1]:443', false],
    ['https://a.example', '10.0.0.0/99', false],
    ['https://xn--mnchen-3ya.example', 'münchen.example', true],
    ['https://a.example', '', false],
    ['https://a.example', ',,', false],
  ])('to %s with NO_PROXY=%s is direct: %j', (address, noProxy, direct) => {
    const spellings: NodeJS.ProcessEnv[] = [{ NO_PROXY: noProxy }, { no_proxy: noProxy }];
    for (const env of spellings) {
      expect(routeOf(address, { ...ENV, ...env }) === 'NO_PROXY').toBe(direct);
    }
  });

  it.each<[value: string, words: string]>([
    ['foo', 'HTTPS_PROXY is no address of a proxy'],
    ['http://', 'HTTPS_PROXY is no address of a proxy'],
    ['http://secret@', 'HTTPS_PROXY is no address of a proxy'],
    ['mailto:secret', 'HTTPS_PROXY is no address of a proxy'],
    ['socks5://user:secret@host:1080', 'HTTPS_PROXY names a socks5 proxy'],
    ['ftp://host', 'HTTPS_PROXY names a ftp proxy'],
    ['http://user:secret%@host:3128', 'HTTPS_PROXY has a user or password with a stray %'],
    ['http://host:99999', 'HTTPS_PROXY is no address of a proxy'],
  ])('is refused through %s', (value, words) => {
    const env = { HTTPS_PROXY: value };
    const find = () => findRoute(new URL('https://a.example'), env);
    expect(find).toThrow(TidemarkError);
    expect(find).toThrow(words);
    expect(find).not.toThrow('secret');
    // Without a request to a proxy, a wrong value does no harm.
    expect(routeOf('https://a.example', { ...env, NO_PROXY: 'a.example' })).toBe('NO_PROXY');
    expect(routeOf('http://127.0.0.1', env)).toBe('loopback');
  });

  it.each([
    ['http://user:secret@host', 'user:secret'],
    ['http://us%40er:p%3Aw%25@host', 'us@er:p:w%'],
    ['http://user@host', 'user:'],
  ])('sends the login of %s', (value, login) => {
    const { proxy } = findRoute(new URL('http://a.example'), { HTTP_PROXY: value });
    expect(proxy && proxyAuthorization(proxy)).toBe(`Basic ${Buffer.from(login).toString('base64')}`);
  });
});
