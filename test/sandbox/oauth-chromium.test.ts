import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '../helpers/chromium.js';
import { newSession, stateOf } from './oauth-browser.js';
import { startApp, type Running } from './running.js';

const executablePath = findChromium();
let app: Running;
let browser: Browser;
/** The client that requests access; its page shows the query it was called with. */
let client: Server;
let clientUrl: string;
/** A page of another site: `localhost` is another site than `127.0.0.1`. */
let evil: Server;
let evilUrl: string;
let evilPage = '';
let context: BrowserContext;
let page: Page;

async function listen(server: Server, host: string): Promise<string> {
  server.listen(0, host);
  await once(server, 'listening');
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  if (executablePath === undefined) return;
  app = await startApp({ companies: 30 });
  client = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back at the assistant</h1>');
  });
  clientUrl = await listen(client, '127.0.0.1');
  evil = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(evilPage);
  });
  evilUrl = await listen(evil, 'localhost');
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(async () => {
  if (executablePath === undefined) return;
  await browser.close();
  await app.close();
  client.close();
  evil.close();
});
beforeEach(async ({ skip }) => {
  skip(
    executablePath === undefined,
    'no Chromium here: set CHROMIUM_PATH, or install chromium; oauth.test.ts covers the same ways over HTTP',
  );
  // Every screen has to work without scripts and on a phone.
  context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
  page = await context.newPage();
});
afterEach(async () => {
  await context?.close();
});

async function begin(): Promise<string> {
  const session = await newSession(app, {
    client: 'Assistant <b>',
    redirect_uri: `${clientUrl}/callback?keep=1`,
    state: 's t&1',
  });
  await page.goto(`${app.url}/oauth/login?session=${session}`);
  return session;
}

const heading = (): Promise<string> => page.getByRole('heading', { level: 1 }).innerText();
const press = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const follow = (name: string): Promise<void> => page.getByRole('link', { name, exact: true }).click();

/** Expects the heading, and that the screen fits the width. */
async function expectScreen(title: string): Promise<void> {
  expect(await heading()).toBe(title);
  const [wide, shown] = await page.evaluate<[number, number]>('[document.documentElement.scrollWidth, innerWidth]');
  expect(wide).toBeLessThanOrEqual(shown);
}

/** The query with which the client was called. */
async function expectBackAtClient(): Promise<URLSearchParams> {
  expect(await heading()).toBe('Back at the assistant');
  const address = new URL(page.url());
  expect([address.origin, address.pathname]).toEqual([clientUrl, '/callback']);
  expect([address.searchParams.get('keep'), address.searchParams.get('state')]).toEqual(['1', 's t&1']);
  return address.searchParams;
}

async function expectAccepted(session: string, person: string): Promise<void> {
  await expectScreen('Allow access?');
  expect(await page.getByText('Signed in as').innerText()).toBe(`Signed in as ${person}.`);
  await press('Allow');
  const told = await expectBackAtClient();
  expect(told.get('error')).toBeNull();
  expect(await stateOf(app, session)).toEqual({ session, state: 'granted', person, code: told.get('code') });
}

async function expectDenied(session: string): Promise<void> {
  const told = await expectBackAtClient();
  expect([told.get('error'), told.get('code')]).toEqual(['access_denied', null]);
  expect(await stateOf(app, session)).toMatchObject({ state: 'denied', code: null });
}

async function signInBySso(): Promise<void> {
  await follow('Sign in with SSO');
  await expectScreen('Sandbox sign-on');
  await follow('Continue as analyst@company.example');
}

describe('sign-in in a browser without scripts', () => {
  it('grants access by SSO in a browser without scripts', async () => {
    const session = await begin();
    await expectScreen('Sign in');
    expect(await page.getByText('asks for access').innerText()).toBe(
      `Assistant <b> at ${new URL(clientUrl).host} asks for access to company data. Sign in to decide.`,
    );
    await signInBySso();
    await expectAccepted(session, 'analyst@company.example');
  });

  it('denies access by SSO in a browser without scripts', async () => {
    const session = await begin();
    await signInBySso();
    await press('Deny');
    await expectDenied(session);
  });

  it.each([
    ['cancelled by the person', 'Cancel', 'You cancelled the sign-on.'],
    [
      'failed at the provider',
      'Let the sign-on fail',
      'The sign-on service could not sign you in (server_error). Try again, or choose another way.',
    ],
  ])('returns to the sign-in screen when SSO is %s, then signs in', async (_name, way, words) => {
    const session = await begin();
    await follow('Sign in with SSO');
    await follow(way);
    await expectScreen('Sign in');
    expect(await page.getByRole('alert').innerText()).toBe(words);
    expect(await stateOf(app, session)).toMatchObject({ state: 'new' });
    await signInBySso();
    await expectAccepted(session, 'analyst@company.example');
  });

  it('denies access when cancelled at the first screen', async () => {
    const session = await begin();
    await press('Cancel');
    await expectDenied(session);
  });

  async function startTrial(email: string): Promise<void> {
    await follow('Start a trial');
    await expectScreen('Start a trial');
    await page.getByLabel('E-mail address').fill(email);
    await press('Send me a code');
    await expectScreen('Enter the code');
    expect(await page.getByText('We sent a code').innerText()).toContain(email);
  }

  /** Reads the code from the outbox page in a new tab. */
  async function readOutbox(email: string): Promise<string> {
    const [outbox] = await Promise.all([context.waitForEvent('page'), follow('outbox')]);
    await outbox.waitForLoadState();
    const newest = await outbox.locator('article').first().innerText();
    expect(newest).toContain(`To ${email}`);
    await outbox.close();
    return /Your code is (\d{6})/.exec(newest)![1]!;
  }

  it.each(['accepted', 'denied'])('signs in by trial after a wrong code, in a browser: %s', async (outcome) => {
    const email = `new.${outcome}@mail.example`;
    const session = await begin();
    await startTrial(email);
    const code = await readOutbox(email);
    await page.getByLabel('Code').fill(code === '000000' ? '000001' : '000000');
    await press('Continue');
    await expectScreen('Enter the code');
    expect(await page.getByRole('alert').innerText()).toBe('This is not the code that was sent.');
    await page.getByLabel('Code').fill(code);
    await press('Continue');
    if (outcome === 'accepted') return expectAccepted(session, email);
    await press('Deny');
    return expectDenied(session);
  });

  it('sends a new trial code to a corrected address', async () => {
    const session = await begin();
    await startTrial('tyop@mail.example');
    await follow('Send a new code');
    expect(await page.getByLabel('E-mail address').inputValue()).toBe('tyop@mail.example');
    await page.getByLabel('E-mail address').fill('typo@mail.example');
    await press('Send me a code');
    await page.getByLabel('Code').fill(await readOutbox('typo@mail.example'));
    await press('Continue');
    await expectAccepted(session, 'typo@mail.example');
  });

  it('changes nothing when going back after the answer', async () => {
    const session = await begin();
    await signInBySso();
    await press('Deny');
    await expectDenied(session);
    await page.goBack();
    await expectScreen('Cannot continue');
    expect(await page.getByText('already finished').count()).toBe(1);
    expect(await stateOf(app, session)).toMatchObject({ state: 'denied' });
  });
});

describe('other browsers and sites', () => {
  it('shows nothing of a signed-in session to another browser', async () => {
    const session = await begin();
    await signInBySso();
    const other = await browser.newContext();
    const stranger = await other.newPage();
    await stranger.goto(page.url());
    expect(await stranger.getByRole('heading').innerText()).toBe('Cannot continue');
    expect(await stranger.getByRole('button').count()).toBe(0);
    await other.close();
    await expectAccepted(session, 'analyst@company.example');
  });

  it('lets another site neither post nor frame the consent screen', async () => {
    const session = await begin();
    await signInBySso();
    evilPage = `<form method="post" action="${app.url}/oauth/consent"><input type="hidden" name="session" value="${session}">
      <button>Win a prize</button></form><iframe src="${page.url()}"></iframe>`;
    const trap = await context.newPage();
    await trap.goto(evilUrl);
    const framed = trap.frames().find((frame) => frame !== trap.mainFrame())!;
    expect(await framed.content()).not.toContain('Allow access?');
    await trap.getByRole('button', { name: 'Win a prize' }).click();
    expect(await trap.getByRole('heading').innerText()).toBe('Cannot continue');
    expect(await trap.getByText('This form was sent by another site.').count()).toBe(1);
    expect(await stateOf(app, session)).toMatchObject({ state: 'authenticated', code: null });
    await expectAccepted(session, 'analyst@company.example');
  });
});
