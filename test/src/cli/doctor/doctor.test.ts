import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Finding } from '../../../../src/cli/doctor/finding.js';
import { runChecks } from '../../../../src/cli/doctor/run-checks.js';
import { emptyFolder, runCli } from '../../../helpers/run-cli.js';
import { startForwardProxy } from '../../base/network/helpers.js';
import { startApp, type Running } from '../../../sandbox/running.js';

// A process of its own for each test would take most of the time, so most tests call the function that `tidemark doctor`
// calls. Each call waits five seconds for Temporal, so the tests wait together.
let app: Running;
const folder = emptyFolder();
beforeAll(async () => {
  app = await startApp({ companies: 30 });
  vi.stubEnv('TIDEMARK_API_KEY', app.sandbox.options.key);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await app?.close();
  folder.remove();
});

let projects = 0;

/** Writes a configuration into a new folder. */
function configure(settings: object): { dir: string; file: string } {
  const dir = path.join(folder.dir, String(projects++));
  mkdirSync(dir);
  const file = path.join(dir, 'tidemark.yaml');
  writeFileSync(file, JSON.stringify(settings));
  return { dir, file };
}

/** What doctor finds about the connector. */
async function connector(api: object): Promise<Finding | undefined> {
  const found = await runChecks(configure({ api: { baseUrl: app.url, ...api } }).file);
  return found.find(({ check }) => check === 'connector');
}

/** One finding of `tidemark doctor` as a process, for an API at `baseUrl`. */
async function findingOf(
  check: string,
  baseUrl: string,
  env: Record<string, string> = {},
): Promise<Finding | undefined> {
  const { dir } = configure({ api: { baseUrl, allowHttp: true } });
  const all = { TIDEMARK_API_KEY: app.sandbox.options.key, ...env };
  const { stdout } = await runCli(['doctor', '--json'], { cwd: dir, env: all });
  return (JSON.parse(stdout) as Finding[]).find((found) => found.check === check);
}

/** What doctor finds about each data route of the connector, by name. */
async function connectorData(connectorUrl: string): Promise<Record<string, Finding>> {
  const { file } = configure({ api: { baseUrl: app.url, connectorUrl } });
  const found = await runChecks(file, { connector: true });
  const data = found.filter(({ check }) => check.startsWith('connector '));
  return Object.fromEntries(data.map((finding) => [finding.check.replace('connector ', ''), finding]));
}

describe.concurrent('tidemark doctor', () => {
  it('asks the connector whether the key is valid', async () => {
    expect(await connector({})).toMatchObject({ state: 'ok', message: `${app.url} says that the API key is valid` });
  });

  it('warns about a named connector that does not answer', async () => {
    const found = await connector({ connectorUrl: 'http://127.0.0.1:9' });
    expect(found).toMatchObject({ state: 'warn', message: expect.stringContaining('ECONNREFUSED') });
  });

  it.each(['/v2/', '/v1/finder'])('names the address, and what is wrong with %s at its end', async (end) => {
    const checked = await runChecks(configure({ api: { baseUrl: `${app.url}${end}` } }).file);
    const found = checked.find(({ check }) => check === 'api');
    expect(found).toMatchObject({
      state: 'fail',
      message: expect.stringContaining(`${app.url}${end}: GET /v2/metrics`),
    });
    expect(found?.todo).toContain(`Remove ${end.replace(/\/$/, '')} from the end of the address`);
  });

  it('reports settings of Temporal that cannot be read, and checks the rest', async () => {
    const file = path.join(folder.dir, 'temporal.toml');
    writeFileSync(file, 'this is no [ TOML');
    const finding = await findingOf('temporal', app.url, { TEMPORAL_CONFIG_FILE: file });
    expect(finding).toMatchObject({ state: 'fail', message: expect.stringMatching(/TOML|toml/) as string });
  });

  it('says which proxy applies to what, without its password', async () => {
    const proxy = await startForwardProxy(Number(new URL(app.url).port));
    try {
      const env = { HTTPS_PROXY: 'http://user:secret@127.0.0.1:1', http_proxy: proxy.url };
      const address = 'http://company-data.invalid';
      const [none, both, api, wrong] = await Promise.all([
        findingOf('proxy', app.url),
        findingOf('proxy', address, { ...env, TEMPORAL_ADDRESS: 'temporal.invalid:7233' }),
        findingOf('api', address, env),
        findingOf('proxy', address, { HTTP_PROXY: 'socks5://user:secret@127.0.0.1:1' }),
      ]);
      expect(none).toMatchObject({ state: 'skip', message: expect.stringContaining('not set') });
      expect(both?.message.split('\n')).toEqual([
        `API (company-data.invalid): through ${proxy.url} (http_proxy)`,
        'Temporal (temporal.invalid:7233): through http://127.0.0.1:1 (HTTPS_PROXY)',
      ]);
      expect(api).toMatchObject({ state: 'ok' });
      expect(proxy.seen).toContain('GET http://company-data.invalid/v2/metrics');
      expect(wrong).toMatchObject({ state: 'fail', message: 'The variable HTTP_PROXY names a socks5 proxy.' });
    } finally {
      await proxy.close();
    }
  });

  it('checks the place of publish.to, and nothing without this setting', async () => {
    const about = async (publish: object): Promise<[string[], dir: string]> => {
      const { dir, file } = configure({ api: { baseUrl: app.url }, ...publish });
      const found = (await runChecks(file)).filter(({ check }) => check.startsWith('publish.to'));
      return [found.map(({ check, state, message }) => `${check} ${state} ${message}`), dir];
    };
    const [[nothing], [shared, dir], [bucket]] = await Promise.all([
      about({}),
      about({ publish: { to: 'shared' } }),
      about({ publish: { to: 's3://bucket' } }),
    ]);
    expect(nothing).toEqual([]);
    expect(shared).toEqual([
      `publish.to: rights ok ${path.join(dir, 'shared')}: list, create, read, replace and remove succeed`,
      'publish.to: writes ok a second create and a late replace are refused; of 8 writers at once, exactly one succeeded',
      'publish.to: lease ok free: no process took lease.json yet',
      'publish.to: build ok none yet; the first publication copies one',
    ]);
    expect(bucket).toEqual(['publish.to fail There are no credentials for the bucket.']);
  });

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
});
