import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeVersions } from '../../../../src/cli/upgrade/check-changes.js';
import type { Change } from '../../../../src/cli/upgrade/change.js';
import { isNewer, parseNewest } from '../../../../src/cli/upgrade/read-newest.js';
import { version } from '../../../../src/base/version.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { emptyFolder, runCli } from '../../../helpers/run-cli.js';
import { Data } from '../../../../src/store/data.js';

describe('tidemark upgrade --check', () => {
  let folder: ReturnType<typeof emptyFolder>;
  let registry: Server;

  interface Check {
    installed: string;
    newest: { version: string | null; error: string | null };
    isNewer: boolean | null;
    changes: Change[];
  }

  const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const upgrade = (args: string[] = [], env: Record<string, string> = {}) =>
    runCli(['upgrade', ...args], {
      cwd: folder.dir,
      env: {
        TEMPORAL_ADDRESS: '127.0.0.1:1',
        npm_config_registry: urlOf(registry),
        npm_config_cache: path.join(folder.dir, 'npm-cache'),
        ...env,
      },
    });
  const check = async (env: Record<string, string> = {}): Promise<{ code: number } & Check> => {
    const { code, stdout } = await upgrade(['--check', '--json'], env);
    return { code, ...(JSON.parse(stdout) as Check) };
  };
  const partOf = (changes: readonly Change[], part: Change['part']) => changes.find((one) => one.part === part);
  /** Makes a warehouse that looks as if another version of Tidemark had made it. */
  const makeWarehouse = async (name: string, sql: string): Promise<string> => {
    const dataDir = path.join(folder.dir, name);
    const warehouse = await openWarehouse(new Data(dataDir));
    await warehouse.db.run(sql);
    await warehouse.close();
    return dataDir;
  };

  beforeAll(async () => {
    folder = emptyFolder();
    writeFileSync(
      path.join(folder.dir, 'tidemark.yaml'),
      "api: { baseUrl: 'http://127.0.0.1:1' }\nmarkets: [{ name: north }]\n",
    );
    registry = createServer((request, response) => {
      if (request.url !== '/tidemark') return void response.writeHead(404).end('{}');
      const packages = {
        name: 'tidemark',
        'dist-tags': { latest: '99.1.0' },
        time: { '99.1.0': '2026-12-01T08:00:00.000Z' },
        versions: {
          '99.1.0': { name: 'tidemark', version: '99.1.0', engines: { node: '>=24' }, dist: { tarball: 'x' } },
        },
      };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(packages));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => registry.once('listening', resolve));
  });

  afterAll(() => {
    registry.close();
    folder.remove();
  });

  it('names the newest version of the configured registry, and how to check it', async () => {
    const { code, stdout } = await upgrade(['--check']);
    expect(code).toBe(0);
    expect(stdout).toContain(`Installed  ${version()}\n`);
    expect(stdout).toMatch(/Newest +99\.1\.0, published 2026-12-01, needs Node\.js >=24, this is \d+/);
    expect(stdout).toContain('npx tidemark@99.1.0 upgrade --check');
    expect(stdout).toMatch(/- workers +Not checked: Temporal does not answer at 127\.0\.0\.1:1/);
    expect(await check()).toMatchObject({ code: 0, newest: { version: '99.1.0', error: null }, isNewer: true });
  });

  it('says that the registry does not answer, and checks the rest', async () => {
    const { code, stdout, stderr } = await upgrade(['--check'], { npm_config_registry: 'http://127.0.0.1:1/' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/Newest +npm cannot ask its registry: .*ECONNREFUSED/);
    expect(stdout).not.toMatch(/\n\s+at /);
    expect(stdout).toMatch(/✔ settings +.*tidemark\.yaml is valid/);
  });

  it('says that the warehouse will be made again, names new models, and changes no file', async () => {
    const dataDir = await makeWarehouse('older', `UPDATE main.schema_version SET sha256 = 'x'`);
    const before = fingerprint(dataDir);
    const { code, changes } = await check({ TIDEMARK_DATA: dataDir });
    expect(fingerprint(dataDir)).toEqual(before);
    expect(code).toBe(0);
    expect(partOf(changes, 'warehouse')).toMatchObject({
      state: 'changes',
      message: expect.stringMatching(/makes the warehouse again[^]*Readers keep the published build/) as string,
    });
    expect(partOf(changes, 'models')).toMatchObject({ state: 'changes' });
    expect(partOf(changes, 'models')?.items).toContain('core.companies: added, whole table');
    const same = await check({ TIDEMARK_DATA: await makeWarehouse('same', 'SELECT 1') });
    expect(partOf(same.changes, 'warehouse')).toMatchObject({ state: 'none' });
  });

  it('ends with 1 if a setting is unknown', async () => {
    writeFileSync(path.join(folder.dir, 'gone.yaml'), "api: { baseUrl: 'http://127.0.0.1:1', retries: 3 }\n");
    const other = await check({ TIDEMARK_CONFIG: 'gone.yaml' });
    expect(other).toMatchObject({ code: 1, changes: [{ part: 'settings', state: 'hinders' }] });
    expect(other.changes[0]?.message).toContain('api.retries');
  });

  it('says how to upgrade when --check is missing', async () => {
    const { code, stderr } = await upgrade();
    expect(code).toBe(2);
    expect(stderr).toContain('npm install tidemark@latest');
  });
});

/** Path, size, time and content of each file in a folder. */
function fingerprint(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => {
      const { size, mtimeMs } = statSync(file);
      return [file, size, mtimeMs, createHash('sha256').update(readFileSync(file)).digest('hex')].join(' ');
    })
    .toSorted();
}

describe('versions of workers', () => {
  const state = {
    current: 'old',
    versions: [{ build: 'old', replaced: false }],
    live: new Set(['old']),
    pinned: [{ workflowId: 'tenders/1', build: 'old' }],
    stranded: [],
  };

  it('names the version of new runs, and the runs that stay on another version', () => {
    expect(describeVersions(state, 'new', true)).toMatchObject({
      state: 'changes',
      message:
        'New runs start on the installed version new when its first worker starts. Until then, they start on version old.',
      items: ['tenders/1: open on version old, and ends there: keep a worker of this version until then'],
    });
    expect(describeVersions(state, 'new', false).message).toContain('tidemark workers promote');
    expect(describeVersions(state, 'old', true)).toMatchObject({ state: 'none', items: [] });
  });

  it('names a run whose version has no worker, and the command that ends it', () => {
    const { items } = describeVersions({ ...state, live: new Set() }, 'new', true);
    expect(items).toEqual([
      'tenders/1: waits, because version old has no worker: start one, or run `tidemark stop --run tenders/1`',
    ]);
  });

  it('says that a replaced version does not become current by itself', () => {
    const replaced = { ...state, current: 'new', versions: [{ build: 'old', replaced: true }], live: new Set(['new']) };
    expect(describeVersions(replaced, 'old', true).message).toContain('tidemark workers promote');
  });
});

describe('newest version', () => {
  it.each([
    ['0.10.0', '0.9.9', true],
    ['0.3.0', '0.3.0', false],
    ['0.3.0', '0.3.0-rc.1', true],
    ['0.3.0-rc.1', '0.3.0', false],
    ['0.3.0-rc.10', '0.3.0-rc.9', true],
    ['1.0.0+build', '1.0.0', false],
  ])('compares %s with %s', (a, b, newer) => {
    expect(isNewer(a, b)).toBe(newer);
  });

  it.each([
    ['{"error": {"code": "E404", "summary": "Not Found"}}', /has no package "tidemark"/],
    ['{"error": {"code": "E401", "summary": "Unable to authenticate"}}', /npm login/],
    ['{"error": {"code": "ENOTFOUND", "summary": "getaddrinfo ENOTFOUND host\\nmore"}}', /getaddrinfo ENOTFOUND host$/],
    ['', /no answer/],
    ['<html>', /no answer/],
    ['null', /no answer/],
  ])('explains the answer %s of npm', (stdout, message) => {
    expect(parseNewest(stdout)).toMatchObject({ version: null, error: expect.stringMatching(message) as string });
  });
});
