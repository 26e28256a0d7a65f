import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpBrowser, lastCode, linkIn, newSession, stateOf } from './oauth-browser.js';
import { startApp, type Running } from './running.js';

let app: Running;
beforeAll(async () => {
  app = await startApp({ companies: 30 });
});
afterAll(() => app.close());

// The same flows as in oauth-chromium.test.ts, for machines without a browser.
describe('the sign-in flow', () => {
  it('grants access by SSO and returns code and state', async () => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    const login = await browser.visit(`/oauth/login?session=${session}`);
    expect(login.html).toContain('&lt;Assistant&gt;');
    expect(login.html).toContain('assistant.example');
    const provider = await browser.visit(linkIn(login.html, '/oauth/sso/start'));
    const consent = await browser.visit(linkIn(provider.html, '/oauth/sso/callback\\?code'));
    expect(consent.html).toContain('analyst@company.example');
    const end = await browser.visit('/oauth/consent', { form: { session } });
    const address = new URL(end.location!);
    expect([end.status, address.origin, address.searchParams.get('state'), address.searchParams.get('keep')]).toEqual([
      303,
      'https://assistant.example',
      'abc',
      '1',
    ]);
    expect(await stateOf(app, session)).toEqual({
      session,
      state: 'granted',
      person: 'analyst@company.example',
      code: address.searchParams.get('code'),
    });
  });

  it('denies access by SSO and redirects the client with access_denied', async () => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    expect((await browser.signInBySso(session)).html).toContain('Allow access?');
    const end = await browser.visit('/oauth/deny', { form: { session } });
    expect(end.location).toBe('https://assistant.example/callback?keep=1&error=access_denied&state=abc');
    expect(await stateOf(app, session)).toMatchObject({ state: 'denied', code: null });
  });

  it.each([
    ['cancelled by the person', 'error=access_denied', 'You cancelled the sign-on.'],
    ['failed at the provider', 'error=server_error', 'could not sign you in (server_error)'],
  ])('returns to the sign-in screen when SSO is %s', async (_name, error, words) => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    const provider = await browser.visit(`/oauth/sso/start?session=${session}`);
    const back = await browser.visit(linkIn(provider.html, `/oauth/sso/callback\\?${error}`));
    expect(back.html).toContain(words);
    expect(back.html).toContain('Start a trial');
    expect(await stateOf(app, session)).toMatchObject({ state: 'new' });
    expect((await browser.signInBySso(session)).html).toContain('Allow access?');
  });

  it('denies access when cancelled before signing in', async () => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    await browser.visit(`/oauth/login?session=${session}`);
    const end = await browser.visit('/oauth/deny', { form: { session } });
    expect(new URL(end.location!).searchParams.get('error')).toBe('access_denied');
  });

  it.each(['accepted', 'denied'])('signs in by trial after a wrong address and a wrong code: %s', async (outcome) => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    expect((await browser.visit('/oauth/trial', { form: { session, email: 'nonsense' } })).html).toContain(
      'Enter an e-mail',
    );
    const email = 'new.person@mail.example';
    await browser.visit('/oauth/trial', { form: { session, email: ' New.Person@Mail.example' } });
    expect(await stateOf(app, session)).toMatchObject({ state: 'new', person: null });
    const wrong = await browser.visit('/oauth/trial/verify', { form: { session, email, code: 'x' } });
    expect(wrong.html).toContain('not the code');
    const consent = await browser.visit('/oauth/trial/verify', { form: { session, email, code: await lastCode(app) } });
    expect(consent.html).toContain(email);
    const end = await browser.visit(outcome === 'accepted' ? '/oauth/consent' : '/oauth/deny', { form: { session } });
    const told = new URL(end.location!).searchParams;
    const { state, code } = await stateOf(app, session);
    expect([state, told.get('state')]).toEqual([outcome === 'accepted' ? 'granted' : 'denied', 'abc']);
    expect([told.get('code'), told.get('error')]).toEqual(
      outcome === 'accepted' ? [code, null] : [null, 'access_denied'],
    );
    if (outcome === 'accepted') expect(code).toMatch(/^[\w-]{20,}$/);
  });

  it('signs in by API key, without a browser', async () => {
    const session = await newSession(app, {});
    const tool = new HttpBrowser(app);
    expect((await tool.visit('/oauth/login', { form: { session, api_key: 'wrong' } })).status).toBe(401);
    const consent = await tool.visit('/oauth/login', { form: { session, api_key: app.sandbox.options.key } });
    expect(consent.html).toContain('Allow access?');
    expect((await tool.visit('/oauth/consent', { form: { session } })).html).toContain('Access is granted');
  });

  it('signs in to several sessions in one browser', async () => {
    const browser = new HttpBrowser(app);
    const [first, second] = [await newSession(app), await newSession(app)];
    await browser.visit(`/oauth/login?session=${first}`);
    await browser.signInBySso(second);
    await browser.signInBySso(first);
    for (const session of [second, first]) {
      expect((await browser.visit('/oauth/consent', { form: { session } })).location).toContain('code=');
    }
  });

  it('shows sent mail on the outbox page', async () => {
    const session = await newSession(app);
    await new HttpBrowser(app).visit('/oauth/trial', { form: { session, email: 'a&b@mail.example' } });
    const outbox = await fetch(`${app.url}/_sandbox/outbox`, { headers: { accept: 'text/html' } });
    const html = await outbox.text();
    expect(html).toContain('Your trial code');
    expect(html).toContain('a&amp;b@mail.example');
  });
});

describe('the sign-in of a program on the own computer', () => {
  const SESSION = 'chosen-by-the-program-0123456789-abcdef';
  const BACK = 'http://127.0.0.1:49152/callback';
  const login = (session: string, redirect_uri: string): string =>
    `/oauth/login?${new URLSearchParams({ session, redirect_uri, state: 'a&"b' }).toString()}`;

  it('gives the API key to the loopback address after consent, in a form', async () => {
    const browser = new HttpBrowser(app);
    expect((await browser.visit(login(SESSION, BACK))).html).toContain('127.0.0.1:49152');
    await browser.signInBySso(SESSION);
    const { html, headers } = await browser.visit('/oauth/consent', { form: { session: SESSION } });
    expect(html).toContain(`<form method="post" action="${BACK}">`);
    expect(html).toContain(`name="state" value="a&amp;&quot;b"`);
    expect(html).toContain(`name="api_key" value="${app.sandbox.options.key}"`);
    expect(headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:49152;");
    expect(headers.get('cache-control')).toBe('no-store');
    expect(await stateOf(app, SESSION)).toMatchObject({ state: 'granted' });
    expect((await browser.visit('/oauth/consent', { form: { session: SESSION } })).status).toBe(403);
  });

  it('begins no session for another address, a short value or a value in use', async () => {
    const browser = new HttpBrowser(app);
    const other = `${SESSION}-other`;
    for (const address of ['https://evil.example/', 'http://127.0.0.1.evil.example/', 'https://127.0.0.1/', 'nonsense'])
      expect((await browser.visit(login(other, address))).status).toBe(403);
    expect((await browser.visit(login('short', BACK))).status).toBe(403);
    const used = await newSession(app);
    await browser.visit(login(used, BACK));
    await browser.signInBySso(used);
    expect((await browser.visit('/oauth/consent', { form: { session: used } })).location).toMatch(/assistant\.example/);
  });
});
