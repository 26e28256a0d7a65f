import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder, runCli } from '../../helpers/run-cli.js';
import { startApp, type Running } from '../../sandbox/running.js';

let app: Running;
const folder = emptyFolder();
beforeAll(async () => {
  app = await startApp({ companies: 30 });
});
afterAll(async () => {
  await app?.close();
  folder.remove();
});

interface Found {
  check: string;
  state: string;
  message: string;
}

/** What doctor finds about the connector. */
async function connector(api: object): Promise<Found | undefined> {
  writeFileSync(path.join(folder.dir, 'tidemark.yaml'), JSON.stringify({ api: { baseUrl: app.url, ...api } }));
  const env = { TIDEMARK_API_KEY: app.sandbox.options.key };
  const { stdout } = await runCli(['doctor', '--json'], { cwd: folder.dir, env });
  return (JSON.parse(stdout) as Found[]).find(({ check }) => check === 'connector');
}

it('asks the connector whether the key is valid', async () => {
  expect(await connector({})).toMatchObject({ state: 'ok', message: `${app.url} says that the API key is valid` });
});

it('warns about a named connector that does not answer', async () => {
  const found = await connector({ connectorUrl: 'http://127.0.0.1:9' });
  expect(found).toMatchObject({ state: 'warn', message: expect.stringContaining('ECONNREFUSED') });
});

/** What doctor finds about each data route of the connector, by name. */
async function connectorData(connectorUrl: string): Promise<Record<string, Found>> {
  const api = { baseUrl: app.url, connectorUrl };
  writeFileSync(path.join(folder.dir, 'tidemark.yaml'), JSON.stringify({ api }));
  const env = { TIDEMARK_API_KEY: app.sandbox.options.key };
  const { stdout } = await runCli(['doctor', '--connector', '--json'], { cwd: folder.dir, env });
  const found = (JSON.parse(stdout) as Found[]).filter(({ check }) => check.startsWith('connector '));
  return Object.fromEntries(found.map((finding) => [finding.check.replace('connector ', ''), finding]));
}

it('compares every data route of the connector with the API', async () => {
  const found = await connectorData(app.url);
  expect(Object.keys(found)).toHaveLength(8);
  expect(Object.values(found).filter(({ state }) => state !== 'ok' && state !== 'skip')).toEqual([]);
  expect(Object.values(found).filter(({ state }) => state === 'ok').length).toBeGreaterThan(5);
});

it('warns about a connector with other data', async () => {
  const other = await startApp({ companies: 40, seed: 99, key: app.sandbox.options.key });
  try {
    const found = await connectorData(other.url);
    expect(found['prospecting']).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('total_companies is 40'),
    });
    expect(found['company-details']).toMatchObject({ state: 'warn' });
  } finally {
    await other.close();
  }
});
