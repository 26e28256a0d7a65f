import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, type Running } from './running.js';

let app: Running;
beforeAll(async () => {
  app = await startApp({ companies: 30 });
});
afterAll(() => app.close());

const CLIENT = 'https://assistant.example/callback?keep=1';

async function newSession(
  body: object = { redirect_uri: CLIENT, state: 'abc', client: '<Assistant>' },
): Promise<string> {
  return (await app.send<{ session: string }>('POST', '/_sandbox/oauth/sessions', body)).body.session;
}

async function stateOf(session: string): Promise<Record<string, unknown>> {
  return (await app.get<Record<string, unknown>>(`/_sandbox/oauth/sessions/${session}`)).body;
}

/** What a browser does: keeps the cookie, follows links and sends forms, and stops at redirects to elsewhere. */
class Browser {
  cookie = '';

  async visit(
    path: string,
    init: { method?: string; form?: Record<string, string>; headers?: Record<string, string> } = {},
  ): Promise<{ status: number; html: string; location: string | null }> {
    const response = await fetch(app.url + path, {
      method: init.method ?? (init.form ? 'POST' : 'GET'),
      redirect: 'manual',
      headers: { ...(this.cookie === '' ? {} : { cookie: this.cookie }), ...init.headers },
      ...(init.form && { body: new URLSearchParams(init.form) }),
    });
    const set = response.headers.get('set-cookie');
    if (set !== null) this.cookie = set.split(';')[0]!;
    const location = response.headers.get('location');
    if (location?.startsWith('/')) return this.visit(location);
    return { status: response.status, html: await response.text(), location };
  }
}

const lastCode = async (): Promise<string> =>
  (await app.get<{ text: string }[]>('/_sandbox/outbox')).body[0]!.text.match(/\d{6}/)![0];
const linkIn = (html: string, start: string): string =>
  new RegExp(`href="(${start}[^"]*)"`).exec(html)![1]!.replaceAll('&amp;', '&');

describe('the sign-in flow', () => {
  it('by SSO, accepted: the client gets a code and its state', async () => {
    const session = await newSession();
    const browser = new Browser();
    const login = await browser.visit(`/oauth/login?session=${session}`);
    expect(login.html).toContain('&lt;Assistant&gt;');
    const idp = await browser.visit(linkIn(login.html, '/oauth/sso/start'));
    const consent = await browser.visit(linkIn(idp.html, '/oauth/sso/callback\\?code'));
    expect(consent.html).toContain('analyst@company.example');
    const end = await browser.visit('/oauth/consent', { form: { session } });
    const address = new URL(end.location!);
    expect([end.status, address.origin, address.searchParams.get('state'), address.searchParams.get('keep')]).toEqual([
      303,
      'https://assistant.example',
      'abc',
      '1',
    ]);
    expect(await stateOf(session)).toEqual({
      session,
      state: 'granted',
      person: 'analyst@company.example',
      code: address.searchParams.get('code'),
    });
  });

  it('by SSO, cancelled: back to the choice', async () => {
    const session = await newSession();
    const browser = new Browser();
    const idp = await browser.visit(`/oauth/sso/start?session=${session}`);
    const back = await browser.visit(linkIn(idp.html, '/oauth/sso/callback\\?error'));
    expect(back.html).toContain('Start a trial');
    expect(await stateOf(session)).toMatchObject({ state: 'new' });
  });

  it('by trial code, denied: the client is told so', async () => {
    const session = await newSession();
    const browser = new Browser();
    const form = await browser.visit(
      `/oauth/trial?session=${session}&email=${encodeURIComponent('"><script>@x.example')}`,
    );
    expect(form.html).toContain('&quot;&gt;&lt;script&gt;');
    expect((await browser.visit('/oauth/trial', { form: { session, email: 'nonsense' } })).html).toContain(
      'Enter an e-mail',
    );
    await browser.visit('/oauth/trial', { form: { session, email: 'New.Person@Mail.example' } });
    expect(await stateOf(session)).toMatchObject({ state: 'new', person: null });
    const wrong = await browser.visit('/oauth/trial/verify', {
      form: { session, email: 'new.person@mail.example', code: 'x' },
    });
    expect(wrong.html).toContain('not the code');
    const consent = await browser.visit('/oauth/trial/verify', {
      form: { session, email: 'new.person@mail.example', code: await lastCode() },
    });
    expect(consent.html).toContain('new.person@mail.example');
    const end = await browser.visit('/oauth/deny', { form: { session } });
    expect(end.location).toBe('https://assistant.example/callback?keep=1&error=access_denied&state=abc');
    expect(await stateOf(session)).toMatchObject({ state: 'denied', code: null });
  });

  it('by API key, for tools without a browser', async () => {
    const session = await newSession({});
    const tool = new Browser();
    expect((await tool.visit('/oauth/login', { form: { session, api_key: 'wrong' } })).status).toBe(401);
    const consent = await tool.visit('/oauth/login', { form: { session, api_key: app.sandbox.options.key } });
    expect(consent.html).toContain('Allow access?');
    expect((await tool.visit('/oauth/consent', { form: { session } })).html).toContain('Access is granted');
  });

  it('shows the mail in the outbox page', async () => {
    const outbox = await fetch(`${app.url}/_sandbox/outbox`, { headers: { accept: 'text/html' } });
    expect(await outbox.text()).toContain('Your trial code');
  });
});

describe('what must not work', () => {
  it('forms and queries without their fields: 422', async () => {
    const browser = new Browser();
    for (const path of ['/oauth/login', '/oauth/sso/start', '/oauth/trial', '/oauth/consent']) {
      const { status, html } = await browser.visit(path);
      expect([status, JSON.parse(html)]).toEqual([
        422,
        { detail: [{ loc: ['query', 'session'], msg: 'Field required', type: 'missing' }] },
      ]);
    }
    for (const path of ['/oauth/login', '/oauth/trial', '/oauth/trial/verify', '/oauth/consent', '/oauth/deny']) {
      expect((await browser.visit(path, { form: {} })).status).toBe(422);
    }
  });

  it('a session nobody made, consent before signing in, answering twice', async () => {
    const browser = new Browser();
    expect((await browser.visit('/oauth/login?session=made-up')).status).toBe(403);
    const session = await newSession();
    expect((await browser.visit(`/oauth/consent?session=${session}`)).status).toBe(403);
    expect((await browser.visit('/oauth/consent', { form: { session } })).status).toBe(403);
    expect((await browser.visit('/oauth/deny', { form: { session } })).status).toBe(303);
    expect((await browser.visit('/oauth/consent', { form: { session } })).status).toBe(403);
  });

  it('fixation: a session begun in one browser is of no use in another', async () => {
    const session = await newSession();
    const [attacker, victim] = [new Browser(), new Browser()];
    await attacker.visit(`/oauth/login?session=${session}`);
    expect((await victim.visit(`/oauth/login?session=${session}`)).status).toBe(403);
    expect((await victim.visit('/oauth/trial', { form: { session, email: 'a@b.example' } })).status).toBe(403);
    const idp = await attacker.visit(`/oauth/sso/start?session=${session}`);
    expect((await victim.visit(linkIn(idp.html, '/oauth/sso/callback\\?code'))).status).toBe(403);
    expect(await stateOf(session)).toMatchObject({ state: 'new' });
  });

  it('posts from other sites', async () => {
    const session = await newSession();
    const browser = new Browser();
    await browser.visit(`/oauth/login?session=${session}`);
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
    ] as Record<string, string>[]) {
      const answer = await browser.visit('/oauth/deny', { form: { session }, headers });
      expect([answer.status, (await stateOf(session))['state']]).toEqual([403, 'new']);
    }
    const own = await browser.visit('/oauth/deny', { form: { session }, headers: { origin: app.url } });
    expect(own.status).toBe(303);
  });

  it('open redirects: the address is the one the session was made with', async () => {
    const session = await newSession();
    const browser = new Browser();
    await browser.visit(`/oauth/login?session=${session}&redirect_uri=https://evil.example`);
    const end = await browser.visit('/oauth/deny?redirect_uri=https://evil.example', {
      form: { session, redirect_uri: 'https://evil.example' },
    });
    expect(end.location).toMatch(/^https:\/\/assistant\.example\//);
    expect((await app.send('POST', '/_sandbox/oauth/sessions', { redirect_uri: 'javascript:alert(1)' })).status).toBe(
      400,
    );
  });

  it('guessing codes: five tries, and an SSO state works once', async () => {
    const session = await newSession();
    const browser = new Browser();
    await browser.visit('/oauth/trial', { form: { session, email: 'a@b.example' } });
    const code = await lastCode();
    for (let n = 0; n < 5; n++)
      await browser.visit('/oauth/trial/verify', { form: { session, email: 'a@b.example', code: 'nope' } });
    const late = await browser.visit('/oauth/trial/verify', { form: { session, email: 'a@b.example', code } });
    expect(late.html).toContain('Too many wrong codes');
    const idp = await browser.visit(`/oauth/sso/start?session=${session}`);
    const callback = linkIn(idp.html, '/oauth/sso/callback\\?code');
    expect((await browser.visit(callback)).status).toBe(200);
    expect((await browser.visit(callback)).status).toBe(403);
  });

  it('frames and scripts: no screen allows them', async () => {
    const session = await newSession();
    for (const path of [`/oauth/login?session=${session}`, '/oauth/login?session=x']) {
      const { headers } = await fetch(app.url + path);
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });
});
