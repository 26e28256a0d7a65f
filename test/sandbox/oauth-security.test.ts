import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HttpBrowser, lastCode, linkIn, newSession, stateOf } from './oauth-browser.js';
import { startApp, type Running } from './running.js';

let app: Running;
beforeAll(async () => {
  app = await startApp({ companies: 30 });
});
afterAll(() => app.close());

const POSTS = ['/oauth/login', '/oauth/trial', '/oauth/trial/verify', '/oauth/consent', '/oauth/deny'];
const SCREENS = ['/oauth/login', '/oauth/sso/start', '/oauth/trial', '/oauth/consent'];
const EMAIL = 'a@b.example';

describe('incomplete or out-of-order requests', () => {
  it('answers 422 to sign-in requests without their fields', async () => {
    const browser = new HttpBrowser(app);
    for (const path of SCREENS) {
      const { status, html } = await browser.visit(path);
      expect([status, JSON.parse(html)]).toEqual([
        422,
        { detail: [{ loc: ['query', 'session'], msg: 'Field required', type: 'missing' }] },
      ]);
    }
    for (const path of POSTS) expect((await browser.visit(path, { form: {} })).status).toBe(422);
  });

  it('answers 403 to an unknown session', async () => {
    const browser = new HttpBrowser(app);
    for (const path of SCREENS) expect((await browser.visit(`${path}?session=made-up`)).status).toBe(403);
    for (const path of POSTS) {
      expect((await browser.visit(path, { form: { session: 'made-up', api_key: 'k' } })).status).toBe(403);
    }
    for (const state of ['', 'made-up'])
      expect((await browser.visit(`/oauth/sso/callback?code=x&state=${state}`)).status).toBe(403);
  });

  it('refuses consent before sign-in', async () => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    expect((await browser.visit(`/oauth/consent?session=${session}`)).status).toBe(403);
    expect((await browser.visit('/oauth/consent', { form: { session } })).status).toBe(403);
    expect(await stateOf(app, session)).toMatchObject({ state: 'new', code: null });
  });

  it.each(['/oauth/consent', '/oauth/deny'])(
    'answers 403 to every request after the final answer (%s)',
    async (answer) => {
      const session = await newSession(app);
      const browser = new HttpBrowser(app);
      await browser.signInBySso(session);
      await browser.visit(answer, { form: { session } });
      const before = await stateOf(app, session);
      const form = { session, api_key: app.sandbox.options.key, email: EMAIL };
      for (const path of SCREENS) expect((await browser.visit(`${path}?session=${session}`)).status).toBe(403);
      for (const path of POSTS) expect((await browser.visit(path, { form })).status).toBe(403);
      expect(await stateOf(app, session)).toEqual(before);
    },
  );
});

describe('session fixation', () => {
  async function expectNothing(browser: HttpBrowser, session: string): Promise<void> {
    const before = await stateOf(app, session);
    const form = { session, api_key: app.sandbox.options.key, email: EMAIL, code: '1' };
    for (const path of SCREENS) expect((await browser.visit(`${path}?session=${session}`)).status).toBe(403);
    for (const path of POSTS) expect((await browser.visit(path, { form })).status).toBe(403);
    expect(await stateOf(app, session)).toEqual(before);
  }

  it('ties a session to the browser that began it', async () => {
    const session = await newSession(app);
    const [first, other] = [new HttpBrowser(app), new HttpBrowser(app)];
    await first.visit(`/oauth/login?session=${session}`);
    await expectNothing(other, session);
    const provider = await first.visit(`/oauth/sso/start?session=${session}`);
    expect((await other.visit(linkIn(provider.html, '/oauth/sso/callback\\?code'))).status).toBe(403);
    expect(await stateOf(app, session)).toMatchObject({ state: 'new' });
  });

  it.each<[string, (browser: HttpBrowser, session: string) => Promise<unknown>]>([
    ['SSO', async (browser, session) => browser.signInBySso(session)],
    [
      'a trial',
      async (browser, session) => {
        await browser.visit('/oauth/trial', { form: { session, email: EMAIL } });
        await browser.visit('/oauth/trial/verify', { form: { session, email: EMAIL, code: await lastCode(app) } });
      },
    ],
    [
      'the key form',
      async (browser, session) =>
        browser.visit('/oauth/login', { form: { session, api_key: app.sandbox.options.key } }),
    ],
  ])('refuses consent from a browser other than the one signed in by %s', async (_way, signIn) => {
    const session = await newSession(app);
    const [first, other] = [new HttpBrowser(app), new HttpBrowser(app)];
    await signIn(first, session);
    expect(await stateOf(app, session)).toMatchObject({ state: 'authenticated' });
    await expectNothing(other, session);
    expect((await first.visit('/oauth/consent', { form: { session } })).location).toContain('code=');
  });

  it('refuses a session cookie from before the sign-in, or planted', async () => {
    const session = await newSession(app);
    const [victim, thief] = [new HttpBrowser(app), new HttpBrowser(app)];
    victim.cookies.set(`connector_${session}`, 'planted');
    thief.cookies.set(`connector_${session}`, 'planted');
    await victim.visit(`/oauth/login?session=${session}`);
    await expectNothing(thief, session);
    for (const [name, value] of victim.cookies) thief.cookies.set(name, value);
    await victim.signInBySso(session);
    await expectNothing(thief, session);
    expect((await victim.visit('/oauth/consent', { form: { session } })).location).toContain('code=');
  });

  it('sets the cookie HttpOnly, SameSite=Lax and for /oauth only', async () => {
    const { headers } = await new HttpBrowser(app).visit(`/oauth/login?session=${await newSession(app)}`);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^connector_[\w-]+=[\w-]{32}; Path=\/oauth; Max-Age=1800; HttpOnly; SameSite=Lax$/),
    ]);
  });
});

describe('posts from other sites', () => {
  it.each(POSTS)('refuses %s from other sites without any effect', async (path) => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    await browser.signInBySso(session);
    const mails = (await app.get<unknown[]>('/_sandbox/outbox')).body.length;
    const form = { session, api_key: app.sandbox.options.key, email: EMAIL, code: '1' };
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: app.url.replace('127.0.0.1', '127.0.0.1.evil.example') },
      { origin: 'null' },
      { origin: app.url, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[]) {
      const { status, html } = await browser.visit(path, { form, headers });
      expect([status, html]).toEqual([403, expect.stringContaining('sent by another site')]);
    }
    expect(await stateOf(app, session)).toMatchObject({ state: 'authenticated', code: null });
    expect((await app.get<unknown[]>('/_sandbox/outbox')).body).toHaveLength(mails);
    const headers = { origin: app.url, 'sec-fetch-site': 'same-origin' };
    expect((await browser.visit('/oauth/deny', { form, headers })).status).toBe(303);
  });
});

describe('redirects', () => {
  it("redirects to the session's address, whatever a request says", async () => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    const evil = 'https://evil.example';
    await browser.visit(`/oauth/login?session=${session}&redirect_uri=${evil}`);
    await browser.signInBySso(session);
    const end = await browser.visit(`/oauth/consent?redirect_uri=${evil}`, {
      form: { session, redirect_uri: evil, next: evil },
      headers: { 'x-forwarded-host': 'evil.example' },
    });
    expect(end.location).toMatch(/^https:\/\/assistant\.example\/callback\?keep=1&code=/);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'ftp://a.example/',
    '//evil.example',
    '/here',
    'https://assistant.example@evil.example/',
    'https://a.example/#part',
    'https://a;script-src.example/',
    'https://a,b.example/',
    '',
  ])('rejects the redirect address %j', async (redirect_uri) => {
    const { status, body } = await app.send('POST', '/_sandbox/oauth/sessions', { redirect_uri });
    expect([status, body]).toEqual([400, { redirect_uri: expect.any(Array) }]);
  });

  it('returns the state unchanged, whatever it contains', async () => {
    const state = 'a&code=forged\r\nset-cookie: x=1 ü#';
    const session = await newSession(app, { redirect_uri: 'http://localhost:9/back?code=old', state });
    const end = await new HttpBrowser(app).visit('/oauth/deny', { form: { session } });
    const told = new URL(end.location!);
    expect([told.origin, told.searchParams.get('state'), told.hash]).toEqual(['http://localhost:9', state, '']);
    expect(end.headers.getSetCookie().join()).not.toContain('x=1');
  });
});

describe('trial codes', () => {
  const verify = (
    browser: HttpBrowser,
    session: string,
    code: string,
    email = EMAIL,
  ): ReturnType<HttpBrowser['visit']> => browser.visit('/oauth/trial/verify', { form: { session, email, code } });

  it('refuses even the right trial code after five wrong ones', async () => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    await browser.visit('/oauth/trial', { form: { session, email: EMAIL } });
    const code = await lastCode(app);
    for (let n = 0; n < 5; n++) expect((await verify(browser, session, 'nope')).html).toContain('not the code');
    expect((await verify(browser, session, code)).html).toContain('Too many wrong codes');
    expect(await stateOf(app, session)).toMatchObject({ state: 'new' });
  });

  it('limits the number of trial codes per session', async () => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    const ask = async (): Promise<string> =>
      (await browser.visit('/oauth/trial', { form: { session, email: EMAIL } })).html;
    for (let n = 0; n < 5; n++) expect(await ask()).toContain('Enter the code');
    const mails = (await app.get<unknown[]>('/_sandbox/outbox')).body.length;
    expect(await ask()).toContain('Too many codes');
    expect((await app.get<unknown[]>('/_sandbox/outbox')).body).toHaveLength(mails);
  });

  it('accepts only the newest trial code, once, for its address and session', async () => {
    const [session, another] = [await newSession(app), await newSession(app)];
    const browser = new HttpBrowser(app);
    await browser.visit('/oauth/trial', { form: { session, email: EMAIL } });
    const old = await lastCode(app);
    await browser.visit('/oauth/trial', { form: { session, email: EMAIL } });
    const code = await lastCode(app);
    if (old !== code) expect((await verify(browser, session, old)).html).toContain('not the code');
    expect((await verify(browser, session, code, 'other@b.example')).html).toContain('not the code');
    expect((await verify(browser, another, code)).html).toContain('no longer valid');
    expect((await verify(browser, session, code)).html).toContain('Allow access?');
    expect((await verify(browser, session, code)).html).toContain('no longer valid');
  });
});

describe('SSO state', () => {
  it('accepts an SSO state once', async () => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    const provider = await browser.visit(`/oauth/sso/start?session=${session}`);
    const callback = linkIn(provider.html, '/oauth/sso/callback\\?code');
    expect((await browser.visit(callback)).status).toBe(200);
    expect((await browser.visit(callback)).status).toBe(403);
  });
});

describe('sign-in screens', () => {
  const MARKUP = `"'><script>alert(1)</script>&`;

  it('escapes outside text on every screen', async () => {
    const session = await newSession(app, { client: MARKUP, redirect_uri: null });
    const browser = new HttpBrowser(app);
    const query = new URLSearchParams({ session, email: MARKUP }).toString();
    const provider = await browser.visit(`/oauth/sso/start?session=${session}`);
    const callback = linkIn(provider.html, '/oauth/sso/callback\\?error').replace(
      /error=\w+/,
      `error=${encodeURIComponent(MARKUP)}`,
    );
    const shown = [
      await browser.visit(`/oauth/login?session=${session}`),
      await browser.visit(`/oauth/trial?${query}`),
      await browser.visit('/oauth/trial', { form: { session, email: MARKUP } }),
      await browser.visit('/oauth/trial/verify', { form: { session, email: MARKUP, code: MARKUP } }),
      await browser.visit(callback),
      await browser.signInBySso(session),
    ];
    for (const { html } of shown) expect(html).not.toMatch(/<script|"'>/);
    for (const at of [0, 1, 2, 3, 5]) expect(shown[at]!.html).toContain('&quot;&#39;&gt;&lt;script&gt;alert(1)');
  });

  it('forbids frames, scripts, foreign forms and caching on every screen', async () => {
    const session = await newSession(app);
    const browser = new HttpBrowser(app);
    const shown = [
      await browser.visit(`/oauth/login?session=${session}`),
      await browser.visit('/oauth/login?session=x'),
      await browser.visit(`/oauth/trial?session=${session}`),
      await browser.visit('/oauth/trial', { form: { session, email: EMAIL } }),
      await browser.visit(`/oauth/sso/start?session=${session}`),
      await browser.signInBySso(session),
      await browser.visit('/oauth/consent', { form: { session } }),
      await browser.visit('/_sandbox/outbox', { headers: { accept: 'text/html' } }),
    ];
    expect(shown.map(({ status }) => status)).toEqual([200, 403, 200, 200, 200, 200, 303, 200]);
    for (const { headers } of shown) {
      const policy = headers.get('content-security-policy')!;
      expect(policy).toMatch(/default-src 'none'; style-src 'unsafe-inline'; form-action 'self'/);
      expect(policy).toMatch(/frame-ancestors 'none'; base-uri 'none'$/);
      expect(policy).not.toContain('script-src');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('same-origin');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect(shown[0]!.headers.get('content-security-policy')).toContain("form-action 'self' https://assistant.example;");
  });
});
