import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findChromium } from '../../../helpers/chromium.js';
import { createSecretFinder } from '../../../helpers/find-secret.js';
import { cleanEnv, compiled, ROOT, startSandbox, type RunningSandbox } from '../../../helpers/processes.js';
import { emptyFolder, runCli } from '../../../helpers/run-cli.js';
import { startStub } from '../../../stub/index.js';

const KEY = 'login-key-5f3a90b17c2e';
const executablePath = findChromium();
const finder = createSecretFinder(KEY);

let sandbox: RunningSandbox;
let browser: Browser | undefined;
let folder: ReturnType<typeof emptyFolder>;
let running: ChildProcessWithoutNullStreams | undefined;

beforeAll(async () => {
  sandbox = await startSandbox({ companies: 30, key: KEY });
  if (executablePath !== undefined) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await sandbox.stop();
});
beforeEach(() => {
  folder = emptyFolder();
  writeConfig(sandbox.url);
});
afterEach(() => {
  running?.kill('SIGKILL');
  running = undefined;
  folder.remove();
});

function writeConfig(baseUrl: string, more = ''): void {
  writeFileSync(path.join(folder.dir, 'tidemark.yaml'), `api: { baseUrl: '${baseUrl}'${more} }\n`);
}

const keyFile = (): string => path.join(folder.dir, 'data', 'secrets', 'api-key');
const run = async (args: string[], env: Record<string, string> = {}) => runCli(args, { cwd: folder.dir, env });

interface Login {
  /** The sign-in page that the command prints. */
  address: string;
  output(): string;
  type(text: string): void;
  ended: Promise<number | null>;
}

/** Starts `tidemark login`, with an open stdin on which nobody types. */
async function startLogin(args: string[] = ['--no-browser'], env: Record<string, string> = {}): Promise<Login> {
  const command = compiled([path.join(ROOT, 'bin', 'tidemark.mjs'), 'login', ...args]);
  const child = spawn(process.execPath, command, {
    cwd: folder.dir,
    env: cleanEnv(env),
  });
  running = child;
  let output = '';
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const address = new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const found = /^ {2}(http\S+)$/m.exec(output)?.[1];
        if (found !== undefined) resolve(found);
      });
    }
    void ended.then((code) => reject(new Error(`login ended (${code}): ${output}`)));
  });
  return { address: await address, output: () => output, type: (text) => child.stdin.write(text), ended };
}

/** Expects that the key is in its file, for its owner only, and nowhere else. */
async function expectStored(output: string): Promise<void> {
  expect(readFileSync(keyFile(), 'utf8')).toBe(`${KEY}\n`);
  expect(statSync(keyFile()).mode & 0o777).toBe(0o600);
  expect(finder.inText(output)).toEqual([]);
  const { found, searched } = await finder.inFolder(folder.dir, { except: /secrets.api-key$/ });
  expect([found, searched]).toEqual([[], 2]);
}

describe('tidemark login in a browser', () => {
  beforeEach(({ skip }) => skip(browser === undefined, 'no Chromium here: set CHROMIUM_PATH, or install chromium'));

  async function open(address: string): Promise<Page> {
    const context = await browser!.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(address);
    return page;
  }

  async function signInBySso(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Sign in with SSO' }).click();
    await page.getByRole('link', { name: 'Continue as analyst@company.example' }).click();
  }

  it('stores the key after SSO and consent, and commands then use it', async () => {
    const login = await startLogin();
    const page = await open(login.address);
    await signInBySso(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('button', { name: 'Return to the program' }).click();
    expect(await page.getByRole('heading').innerText()).toBe('You can close this window');
    expect(page.url()).not.toContain(KEY);
    expect([await login.ended, login.output()]).toEqual([0, expect.stringMatching(/stored in .*api-key/)]);
    await expectStored(login.output());
    const check = await run(['login', '--check']);
    expect([check.code, check.stdout]).toEqual([0, expect.stringContaining('accepts the API key from')]);
    expect((await run(['quota', '--live'])).code).toBe(0);
  });

  it('opens the browser of this machine, whose arguments do not show the state', async () => {
    const bin = path.join(folder.dir, 'bin');
    mkdirSync(bin);
    for (const opener of ['xdg-open', 'open']) {
      writeFileSync(path.join(bin, opener), `#!/bin/sh\necho "$1" > "${bin}/opened"\n`);
      chmodSync(path.join(bin, opener), 0o755);
    }
    const login = await startLogin([], { PATH: `${bin}${path.delimiter}${process.env['PATH']}` });
    await expect
      .poll(() => existsSync(path.join(bin, 'opened')) && readFileSync(path.join(bin, 'opened'), 'utf8'))
      .toMatch(/\n/);
    const opened = readFileSync(path.join(bin, 'opened'), 'utf8').trim();
    expect(opened).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/start\//);
    expect(opened).not.toContain(new URL(login.address).searchParams.get('state'));
    rmSync(bin, { recursive: true });
    const page = await open(opened);
    await signInBySso(page);
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('button', { name: 'Return to the program' }).click();
    expect(await login.ended).toBe(0);
    await expectStored(login.output());
  });

  it('stores nothing if the person denies the access', async () => {
    const login = await startLogin();
    const page = await open(login.address);
    await signInBySso(page);
    await page.getByRole('button', { name: 'Deny' }).click();
    expect(await page.getByRole('heading').innerText()).toBe('You can close this window');
    expect([await login.ended, login.output()]).toEqual([1, expect.stringContaining('refused (access_denied)')]);
    expect(existsSync(keyFile())).toBe(false);
  });
});

describe('tidemark login without a browser', () => {
  it('reads the key from stdin', async () => {
    const login = await startLogin();
    login.type(`${KEY}\n`);
    expect(await login.ended).toBe(0);
    await expectStored(login.output());
  });

  it('refuses an answer with a wrong state, and goes on waiting', async () => {
    const login = await startLogin();
    const to = new URL(new URL(login.address).searchParams.get('redirect_uri')!);
    to.search = new URLSearchParams({ state: 'x', api_key: 'evil-key-0123456789' }).toString();
    expect((await fetch(to)).status).toBe(403);
    login.type(`${KEY}\n`);
    expect(await login.ended).toBe(0);
    await expectStored(login.output());
  });

  it.each(['code', 'session'])('asks for the key if the connector answers only with a %s', async (name) => {
    const login = await startLogin();
    const given = new URL(login.address).searchParams;
    const to = new URL(given.get('redirect_uri')!);
    to.search = new URLSearchParams({ state: given.get('state')!, [name]: 'some-value' }).toString();
    expect((await fetch(to)).status).toBe(200);
    await expect.poll(() => login.output()).toMatch(/connector sent no API key/);
    login.type(`${KEY}\n`);
    expect(await login.ended).toBe(0);
    await expectStored(login.output());
  });

  it('stores no key that the API refuses, typed or sent by the connector', async () => {
    const typed = await startLogin();
    typed.type('wrong-key-0123456789\n');
    expect([await typed.ended, typed.output()]).toEqual([1, expect.stringContaining('refuses the API key')]);
    const sent = await startLogin();
    const given = new URL(sent.address).searchParams;
    const body = new URLSearchParams({ state: given.get('state')!, api_key: 'wrong-key-0123456789' });
    expect((await fetch(given.get('redirect_uri')!, { method: 'POST', body })).status).toBe(200);
    expect([await sent.ended, sent.output()]).toEqual([1, expect.stringContaining('refuses the API key')]);
    expect(typed.output() + sent.output()).not.toContain('wrong-key-0123456789');
    expect(existsSync(keyFile())).toBe(false);
  });

  it('ends when nobody signs in within the time limit', async () => {
    const login = await startLogin(['--no-browser', '--timeout', '0.02']);
    expect([await login.ended, login.output()]).toEqual([1, expect.stringContaining('Nobody signed in')]);
    expect(existsSync(keyFile())).toBe(false);
  });

  it('ends with 130 when interrupted', async () => {
    const login = await startLogin();
    running?.kill('SIGINT');
    expect(await login.ended).toBe(130);
  });

  it('opens nothing if the connector does not answer, or is plain http on another machine', async () => {
    writeConfig(sandbox.url, ", connectorUrl: 'http://127.0.0.1:1'");
    const down = await run(['login', '--no-browser']);
    expect([down.code, down.stdout, down.stderr]).toEqual([1, '', expect.stringContaining('does not answer')]);
    writeConfig('http://api.example.com');
    const plain = await run(['login', '--no-browser']);
    expect([plain.code, plain.stdout, plain.stderr]).toEqual([1, '', expect.stringContaining('plain http')]);
  });
});

describe.each([
  ['says nothing about keys', 200, {}, false],
  ['answers 401 on every route', 401, { detail: 'Invalid token.' }, true],
  ['refuses the key', 200, { valid: false }, true],
])('a connector that %s', (_title, status, body, warns) => {
  let server: Server;
  let asked: string[];
  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    writeConfig(sandbox.url, `, connectorUrl: 'http://127.0.0.1:${port}'`);
  });
  afterEach(() => server.close());

  it('lets the API decide about the key', async () => {
    const login = await startLogin();
    login.type(`${KEY}\n`);
    expect([await login.ended, login.output()]).toEqual([0, expect.stringContaining('Signed in.')]);
    expect(login.output().includes('does not accept this API key')).toBe(warns);
    expect(asked).toEqual(['GET /health', 'POST /api/verify-token']);
    const check = await run(['login', '--check']);
    expect([check.code, check.stdout]).toEqual([0, expect.stringContaining('accepts the API key from')]);
    expect(check.stderr.includes('does not accept this API key')).toBe(warns);
    rmSync(keyFile());
    const wrong = await startLogin();
    wrong.type('wrong-key-0123456789\n');
    expect([await wrong.ended, existsSync(keyFile())]).toEqual([1, false]);
  });
});

describe('an API without a connector', () => {
  it('decides about the key, although it answers the routes of the connector with a wrong-key error', async () => {
    const stub = await startStub({});
    try {
      const connector = await fetch(`${stub.url}/api/verify-token`, { method: 'POST', body: '{}' });
      expect(connector.status).toBeGreaterThanOrEqual(400);
      writeConfig(stub.url);
      const login = await startLogin();
      login.type(`${stub.key}\n`);
      expect([await login.ended, login.output()]).toEqual([0, expect.stringContaining('Signed in.')]);
      rmSync(keyFile());
      const wrong = await startLogin();
      wrong.type('wrong-key-0123456789\n');
      expect([await wrong.ended, wrong.output()]).toEqual([1, expect.stringContaining('refuses the API key')]);
      expect(existsSync(keyFile())).toBe(false);
    } finally {
      await stub.close();
    }
  });
});

describe('tidemark logout', () => {
  it('removes the stored key, and says if the environment still has one', async () => {
    const login = await startLogin();
    login.type(`${KEY}\n`);
    await login.ended;
    const { code, stdout, stderr } = await run(['logout'], { TIDEMARK_API_KEY: 'k' });
    expect([code, stdout, stderr]).toEqual([
      0,
      expect.stringContaining('Removed'),
      expect.stringContaining('is still set'),
    ]);
    expect(existsSync(keyFile())).toBe(false);
    expect((await run(['login', '--check'])).stderr).toContain('No API key');
    expect((await run(['logout'])).stdout).toContain('No API key is stored');
  });
});
