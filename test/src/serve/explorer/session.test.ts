import { request } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestExplorer, type TestExplorer } from '../../../helpers/explorer.js';

let dataDir: string;
let explorer: TestExplorer;

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-nothing-'));
  explorer = await startTestExplorer(dataDir);
});
afterAll(async () => {
  await explorer.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Sends a request with any header; `fetch` refuses to set some of them. */
async function send(at: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: explorer.port, path: at, method, headers }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    });
    sent.on('error', reject).end();
  });
}

const signIn = async () => send(new URL(explorer.address).pathname + new URL(explorer.address).search);

describe('signing in', () => {
  it('refuses pages and data without the cookie', async () => {
    expect(await send('/')).toMatchObject({ status: 401, body: expect.stringContaining('tidemark ui') });
    expect(await send('/api/v1/about')).toMatchObject({ status: 401 });
    expect(await send('/favicon.svg')).toMatchObject({ status: 401 });
  });

  it('exchanges the token for a cookie that scripts and other sites cannot use', async () => {
    const { status, headers } = await signIn();
    expect(status).toBe(303);
    expect(headers['location']).toBe('/');
    expect(String(headers['set-cookie'])).toMatch(
      /^tidemark_session_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\//,
    );
    const [cookie = ''] = String(headers['set-cookie']).split(';');
    expect(explorer.address).not.toContain(cookie.split('=')[1]);
    expect(await send('/', { cookie })).toMatchObject({ status: 200 });
    expect(await send('/', { cookie: `${cookie.slice(0, -1)}_` })).toMatchObject({ status: 401 });
  });

  it('refuses a wrong token, and a token for the API', async () => {
    expect(await send('/?token=wrong')).toMatchObject({ status: 403 });
    const token = new URL(explorer.address).searchParams.get('token');
    expect(await send(`/api/v1/about?token=${token}`)).toMatchObject({ status: 401 });
  });

  it('redirects only to its own pages', async () => {
    const token = new URL(explorer.address).searchParams.get('token');
    expect((await send(`//evil.example/x?token=${token}`)).headers['location']).toBe('/evil.example/x');
    expect((await send(`/company/7?token=${token}`)).headers['location']).toBe('/company/7');
  });
});

describe('requests from elsewhere', () => {
  const cookieOf = async (): Promise<string> => String((await signIn()).headers['set-cookie']).split(';')[0] ?? '';

  it.each(['evil.example', 'evil.example:1', '127.0.0.1', 'localhost:1'])('refuses the host "%s"', async (host) => {
    expect(await send('/', { cookie: await cookieOf(), host })).toMatchObject({ status: 421 });
  });

  it.each([
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
  ])('refuses a request with %o', async (headers) => {
    const cookie = await cookieOf();
    expect(await send('/api/v1/saved', { cookie, ...headers })).toMatchObject({
      status: 403,
    });
  });

  it('accepts its own pages, and a link that opens a page', async () => {
    const cookie = await cookieOf();
    const own = { cookie, origin: explorer.url, 'sec-fetch-site': 'same-origin' };
    expect(await send('/api/v1/saved', own)).toMatchObject({ status: 200 });
    const link = { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
    expect(await send('/', link)).toMatchObject({ status: 200 });
  });
});

describe('headers', () => {
  it('allows no inline script, no other server and no frame', async () => {
    const answers = await Promise.all([explorer.ask('/'), explorer.ask('/company/7'), explorer.ask('/api/v1/about')]);
    for (const { headers } of answers) {
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
      expect(policy).toContain(`frame-ancestors 'none'`);
      expect(policy).toContain(`require-trusted-types-for 'script'`);
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it('gives each page its own nonce', async () => {
    const pages = await Promise.all([explorer.ask('/'), explorer.ask('/')]);
    const nonces = await Promise.all(
      pages.map(async (page) => {
        const nonce = /'nonce-([^']+)'/.exec(page.headers.get('content-security-policy') ?? '')?.[1];
        expect(await page.text()).toContain(`content="${nonce}"`);
        return nonce;
      }),
    );
    expect(new Set(nonces).size).toBe(2);
  });
});

it('says what to do while nothing is published', async () => {
  const answer = await explorer.ask('/api/v1/about');
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ error: { todo: expect.stringContaining('tidemark snapshot') } });
});

it('serves no file outside of its folder', async () => {
  const cookie = String((await signIn()).headers['set-cookie']).split(';')[0] ?? '';
  for (const at of ['/assets/../../package.json', '/assets/%2e%2e/index.html', '/assets/none.js', '/api/v1/none']) {
    expect(await send(at, { cookie }), at).toMatchObject({ status: 404 });
  }
});

it('names a taken port', async () => {
  await expect(startTestExplorer(dataDir, { port: explorer.port })).rejects.toThrow(`Port ${explorer.port}`);
});
