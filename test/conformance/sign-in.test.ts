import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { HttpBrowser, lastCode, linkIn, newSession } from '../sandbox/oauth-browser.js';
import { startApp, type Running } from '../sandbox/running.js';
import { expectRefusal } from './error-shapes.js';
import { nameOf, ROUTES, type Parameter, type Route } from './reference.js';

type Given = Record<string, string>;

/** Steps where the sandbox redirects instead of answering 200, as browsers need it (sandbox/README.md). */
const REDIRECTS = [
  'POST /oauth/login',
  'GET /oauth/sso/callback',
  'POST /oauth/trial/verify',
  'POST /oauth/consent',
  'POST /oauth/deny',
];
const EMAIL = 'new.person@mail.example';

let app: Running;
beforeAll(async () => {
  app = await startApp({ companies: 30 });
});
afterAll(() => app.close());

/** The preparation of each step, and the parameters with which it succeeds. */
const steps: Record<string, (browser: HttpBrowser, session: string) => Promise<Given>> = {
  'GET /oauth/login': async (_browser, session) => ({ session }),
  'POST /oauth/login': async (_browser, session) => ({ session, api_key: app.sandbox.options.key }),
  'GET /oauth/sso/start': async (_browser, session) => ({ session }),
  'GET /oauth/sso/callback': async (browser, session) => {
    const provider = await browser.visit(`/oauth/sso/start?session=${session}`);
    const query = new URL(linkIn(provider.html, '/oauth/sso/callback\\?code'), app.url).searchParams;
    return { code: query.get('code')!, state: query.get('state')!, error: '' };
  },
  'GET /oauth/trial': async (_browser, session) => ({ session, email: EMAIL }),
  'POST /oauth/trial': async (_browser, session) => ({ session, email: EMAIL }),
  'POST /oauth/trial/verify': async (browser, session) => {
    await browser.visit('/oauth/trial', { form: { session, email: EMAIL } });
    return { session, email: EMAIL, code: await lastCode(app) };
  },
  'GET /oauth/consent': async (browser, session) => {
    await browser.signInBySso(session);
    return { session };
  },
  'POST /oauth/consent': async (browser, session) => {
    await browser.signInBySso(session);
    return { session };
  },
  'POST /oauth/deny': async (_browser, session) => ({ session }),
};

const routes = ROUTES.filter(({ path }) => path.startsWith('/oauth'));
const rows = routes.map((route) => [nameOf(route), route] as const);
const parameters = routes.flatMap((route) =>
  route.parameters.map((parameter) => [`${nameOf(route)} ${parameter.name}`, route, parameter] as const),
);

/** Takes one step of a new sign-in in a browser that took the earlier steps. */
async function take(
  route: Route,
  change: (given: Given) => Given = (given) => given,
): Promise<{
  status: number;
  text: string;
}> {
  const browser = new HttpBrowser(app);
  const given = change(await steps[nameOf(route)]!(browser, await newSession(app)));
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const sent = new URLSearchParams(given);
  const places = new Set(route.parameters.flatMap((parameter) => parameter.in));
  const response = await fetch(app.url + route.path + (places.has('query') ? `?${sent.toString()}` : ''), {
    method: route.method,
    redirect: 'manual',
    headers: cookie === '' ? {} : { cookie },
    ...(places.has('form') && { body: sent }),
  });
  return { status: response.status, text: await response.text() };
}

const without =
  ({ name }: Parameter) =>
  (given: Given): Given =>
    Object.fromEntries(Object.entries(given).filter(([key]) => key !== name));

describe('steps of the sign-in', () => {
  it('lists every step of the sign-in', () => {
    expect(Object.keys(steps)).toEqual(rows.map(([name]) => name));
  });

  it.each(rows)('%s succeeds with all its parameters', async (name, route) => {
    expect((await take(route)).status).toBe(REDIRECTS.includes(name) ? 303 : route.status);
  });
});

describe('parameters of the sign-in', () => {
  it.each(parameters.filter(([, , { required }]) => required))('requires %s', async (_label, route, parameter) => {
    const { status, text } = await take(route, without(parameter));
    expectRefusal({ status, body: JSON.parse(text) as unknown }, route, parameter.name);
  });

  it.each(parameters.filter(([, , { required }]) => !required))(
    'treats an omitted %s as empty',
    async (_label, route, parameter) => {
      const left = await take(route, without(parameter));
      const empty = await take(route, (given) => ({ ...given, [parameter.name]: String(parameter.default) }));
      expect([left.status, anonymous(left.text)]).toEqual([empty.status, anonymous(empty.text)]);
    },
  );

  it.each(parameters.filter(([, , { name }]) => name === 'session'))(
    'refuses an unknown %s with 403',
    async (_label, route) => {
      expect((await take(route, (given) => ({ ...given, session: 'nobody' }))).status).toBe(403);
    },
  );
});

/** A screen without the values that differ between sessions. */
function anonymous(html: string): string {
  return html.replaceAll(/[\w-]{20,}/g, '…');
}

describe('utility pages', () => {
  it.each(['/', '/health', '/playground', '/.well-known/assistant-apps-challenge'])(
    'serves %s without a key',
    async (path) => {
      expect((await fetch(app.url + path)).status).toBe(200);
    },
  );
});
