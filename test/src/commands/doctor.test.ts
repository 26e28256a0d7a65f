import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyFolder, runCli } from '../../helpers/run-cli.js';
import { startForwardProxy } from '../network/helpers.js';
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
  todo: string | null;
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

/** One finding of doctor, for an API at `baseUrl`. */
async function findingOf(check: string, baseUrl: string, env: Record<string, string> = {}): Promise<Found | undefined> {
  writeFileSync(path.join(folder.dir, 'tidemark.yaml'), JSON.stringify({ api: { baseUrl, allowHttp: true } }));
  const all = { TIDEMARK_API_KEY: app.sandbox.options.key, ...env };
  const { stdout } = await runCli(['doctor', '--json'], { cwd: folder.dir, env: all });
  return (JSON.parse(stdout) as Found[]).find((found) => found.check === check);
}

it.each(['/v2/', '/v1/finder'])('names the address, and what is wrong with %s at its end', async (end) => {
  const found = await findingOf('api', `${app.url}${end}`);
  expect(found).toMatchObject({
    state: 'fail',
    message: expect.stringContaining(`${app.url}${end}: GET /v2/metrics`),
  });
  expect(found?.todo).toContain(`Remove ${end.replace(/\/$/, '')} from the end of the address`);
});

it('says which proxy applies to what, without its password', async () => {
  expect(await findingOf('proxy', app.url)).toMatchObject({
    state: 'skip',
    message: expect.stringContaining('not set'),
  });
  const proxy = await startForwardProxy(Number(new URL(app.url).port));
  try {
    const env = { HTTPS_PROXY: 'http://user:secret@127.0.0.1:1', http_proxy: proxy.url };
    const found = await findingOf('proxy', 'http://company-data.invalid', {
      ...env,
      TEMPORAL_ADDRESS: 'temporal.invalid:7233',
    });
    expect(found?.message.split('\n')).toEqual([
      `API (company-data.invalid): through ${proxy.url} (http_proxy)`,
      'Temporal (temporal.invalid:7233): through http://127.0.0.1:1 (HTTPS_PROXY)',
    ]);
    expect(await findingOf('api', 'http://company-data.invalid', env)).toMatchObject({ state: 'ok' });
    expect(proxy.seen).toContain('GET http://company-data.invalid/v2/metrics');
  } finally {
    await proxy.close();
  }
  const wrong = { HTTP_PROXY: 'socks5://user:secret@127.0.0.1:1' };
  expect(await findingOf('proxy', 'http://company-data.invalid', wrong)).toMatchObject({
    state: 'fail',
    message: 'The variable HTTP_PROXY names a socks5 proxy.',
  });
});

it('checks the place of publish.to, and nothing without this setting', async () => {
  const about = async (publish: object): Promise<string[]> => {
    writeFileSync(path.join(folder.dir, 'tidemark.yaml'), JSON.stringify({ api: { baseUrl: app.url }, ...publish }));
    const env = { TIDEMARK_API_KEY: app.sandbox.options.key };
    const { stdout } = await runCli(['doctor', '--json'], { cwd: folder.dir, env });
    const found = (JSON.parse(stdout) as Found[]).filter(({ check }) => check.startsWith('publish.to'));
    return found.map(({ check, state, message }) => `${check} ${state} ${message}`);
  };
  expect(await about({})).toEqual([]);
  expect(await about({ publish: { to: 'shared' } })).toEqual([
    `publish.to: rights ok ${path.join(folder.dir, 'shared')}: list, create, read, replace and remove succeed`,
    'publish.to: writes ok a second create and a late replace are refused; of 8 writers at once, exactly one succeeded',
    'publish.to: lease ok free: no process took lease.json yet',
    'publish.to: build ok none yet; the first publication copies one',
  ]);
  expect(await about({ publish: { to: 's3://bucket' } })).toEqual([
    'publish.to fail There are no credentials for the bucket.',
  ]);
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
