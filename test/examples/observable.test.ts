import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findChromium } from '../helpers/chromium.js';
import { npm } from '../helpers/installed-package.js';
import { cleanEnv, ROOT } from '../helpers/processes.js';
import { serveFolder } from '../helpers/serve-folder.js';
import { LAST, membersOf, NIGHTS, publishWorld, worldOf } from '../helpers/world-warehouse.js';

/* Builds examples/observable on a published market, with its packages from npm, and opens the page. */

const run = promisify(execFile);
let project: string;

beforeAll(async () => {
  project = mkdtempSync(path.join(tmpdir(), 'tidemark-observable-'));
  cpSync(path.join(ROOT, 'examples', 'observable'), project, { recursive: true });
  npm(project, 'install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund');
  const data = path.join(project, 'data');
  await publishWorld(data);
  const env = cleanEnv({ TIDEMARK_DATA: data });
  const observable = path.join('node_modules', '@observablehq', 'framework', 'dist', 'bin', 'observable.js');
  await run(process.execPath, [observable, 'build'], { cwd: project, env });
}, 600_000);

afterAll(() => rmSync(project, { recursive: true, force: true }));

it('examples/observable has the numbers of the market', () => {
  const files = path.join(project, 'dist', '_file', 'data');
  const read = (name: string): { companies: number }[] => {
    const file = readdirSync(files).find((one) => one.startsWith(name)) ?? '';
    return JSON.parse(readFileSync(path.join(files, file), 'utf8')) as { companies: number }[];
  };
  const members = membersOf(worldOf(), LAST).length;
  expect(read('by-country').reduce((sum, { companies }) => sum + companies, 0)).toBe(members);
  expect(read('nights').map(({ companies }) => companies)).toHaveLength(NIGHTS.length);
});

it.skipIf(findChromium() === undefined)('examples/observable draws both charts, and loads nothing else', async () => {
  const server = await serveFolder(path.join(project, 'dist'));
  const browser = await chromium.launch({ executablePath: findChromium()!, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const others: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) others.push(request.url());
    });
    await page.goto(`${server.url}/index.html`);
    await page.waitForSelector('g[aria-label="bar"] rect');
    await page.waitForSelector('g[aria-label="line"] path');
    expect(others).toEqual([]);
  } finally {
    await browser.close();
    await server.close();
  }
});
