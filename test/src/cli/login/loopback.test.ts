import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLoopback, type Loopback } from '../../../../src/cli/login/loopback.js';

let loopback: Loopback;
let answer: unknown;
beforeEach(async () => {
  answer = undefined;
  loopback = await openLoopback('https://app.example.com/connect');
  void loopback.answer.then((given) => (answer = given));
});
afterEach(() => loopback.close());

const parameter = (name: string): string => new URL(loopback.loginUrl).searchParams.get(name) ?? '';
const callback = async (query: Record<string, string>): Promise<Response> =>
  fetch(`${loopback.redirectUri}?${new URLSearchParams(query).toString()}`);

describe('the loopback address', () => {
  it('opens the sign-in page of the connector with session, state and return address', () => {
    const url = new URL(loopback.loginUrl);
    expect(url.origin + url.pathname).toBe('https://app.example.com/connect/oauth/login');
    expect([...url.searchParams.keys()]).toEqual(['session', 'redirect_uri', 'state']);
    expect(parameter('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    for (const name of ['session', 'state']) expect(parameter(name)).toMatch(/^[\w-]{43}$/);
    expect(parameter('session')).not.toBe(parameter('state'));
  });

  it('accepts the answer with the right state, and shows a page without the key in its address', async () => {
    const response = await callback({ state: parameter('state'), api_key: 'k-1' });
    expect([response.status, new URL(response.url).pathname, new URL(response.url).search]).toEqual([200, '/done', '']);
    expect(await response.text()).toContain('You can close this window');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(answer).toMatchObject({ api_key: 'k-1' });
  });

  it.each([
    [
      'a form',
      'application/x-www-form-urlencoded',
      (state: string) => `state=${state}&api_key=k-1`,
      { api_key: 'k-1' },
    ],
    [
      'JSON',
      'application/json; charset=utf-8',
      (state: string) => JSON.stringify({ state, data: { api_key: 'k-1' } }),
      { body: { data: { api_key: 'k-1' } } },
    ],
  ])('accepts the answer as %s', async (_name, type, body, expected) => {
    const init = { method: 'POST', headers: { 'content-type': type }, body: body(parameter('state')) };
    expect((await fetch(loopback.redirectUri, init)).status).toBe(200);
    expect(answer).toMatchObject(expected);
  });

  it('accepts the session if the answer has no state', async () => {
    expect((await callback({ session: parameter('session') })).status).toBe(200);
    expect(answer).toMatchObject({ session: parameter('session') });
  });

  it('refuses answers without the right state, and goes on waiting', async () => {
    const [session, state] = [parameter('session'), parameter('state')];
    const wrong: Record<string, string>[] = [
      {},
      { api_key: 'evil' },
      { state: '', api_key: 'evil' },
      { state: 'x', api_key: 'evil' },
      { state: `${state}x`, api_key: 'evil' },
      { state: session, api_key: 'evil' },
      { session: state, api_key: 'evil' },
      // A wrong state is refused even if the session is right.
      { state: 'x', session, api_key: 'evil' },
    ];
    for (const query of wrong) expect((await callback(query)).status).toBe(403);
    const long = { method: 'POST', body: `state=${state}&x=${'x'.repeat(20_000)}` };
    expect((await fetch(loopback.redirectUri, long)).status).toBe(403);
    expect((await fetch(loopback.redirectUri, { method: 'PUT', body: `state=${state}` })).status).toBe(403);
    expect((await fetch(`${new URL(loopback.redirectUri).origin}/other?state=${state}`)).status).toBe(404);
    expect(answer).toBeUndefined();
    expect((await callback({ state, api_key: 'k-1' })).status).toBe(200);
    expect(answer).toMatchObject({ api_key: 'k-1' });
  });

  it('refuses a second answer', async () => {
    await callback({ state: parameter('state'), api_key: 'first' });
    const second = await callback({ state: parameter('state'), api_key: 'second' });
    expect([second.status, await second.text()]).toEqual([410, expect.stringContaining('Already used')]);
    expect(answer).toMatchObject({ api_key: 'first' });
  });

  it('refuses requests under another host name (DNS rebinding)', async () => {
    const url = new URL(loopback.redirectUri);
    const status = await new Promise((resolve, reject) => {
      request(
        {
          host: url.hostname,
          port: url.port,
          path: `/callback?state=${parameter('state')}`,
          headers: { host: 'evil.example' },
        },
        (response) => resolve(response.statusCode),
      )
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
    expect(answer).toBeUndefined();
  });

  it('leads a browser to the sign-in page once, so that no argument of a program shows the state', async () => {
    expect(loopback.startUrl).not.toContain(parameter('state'));
    const first = await fetch(loopback.startUrl, { redirect: 'manual' });
    expect([first.status, first.headers.get('location')]).toEqual([303, loopback.loginUrl]);
    expect((await fetch(loopback.startUrl, { redirect: 'manual' })).status).toBe(403);
    expect((await fetch(`${new URL(loopback.startUrl).origin}/start/x`)).status).toBe(403);
  });

  it('stops listening when it is closed', async () => {
    await loopback.close();
    await expect(callback({ state: parameter('state') })).rejects.toThrow('fetch failed');
    loopback = await openLoopback('https://app.example.com');
  });
});
