import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OUTCOME_ATTRIBUTE, PHASE_ATTRIBUTE } from '../../workflows/search-attributes.js';
import { openPublished } from '../../src/warehouse/builds/published.js';
import { ROOT } from '../helpers/processes.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { runCli } from '../helpers/run-cli.js';
import { hashTables } from '../helpers/table-hashes.js';

const COMPANIES = 200;

describe('tidemark replay, after three nights', () => {
  let system: System;
  let dataDir: string;
  let lived: Record<string, string>;

  const tables = (folder = dataDir) => hashTables(folder);
  // Needs no key, API or Temporal server: everything is on disk, or in the bucket.
  const offline = (): Record<string, string> => ({
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    TIDEMARK_CONFIG: system.project.env['TIDEMARK_CONFIG'] ?? '',
    TIDEMARK_API_URL: 'http://127.0.0.1:9',
    ...Object.fromEntries(Object.entries(system.project.env).filter(([name]) => name.startsWith('AWS_'))),
  });
  const replay = (...args: string[]) => runCli(['replay', ...args], { cwd: system.project.dir, env: offline() });

  beforeAll(async () => {
    system = await startSystem({
      market: { companies: COMPANIES, tenders: 12, seed: 5, date: '2026-11-18' },
      config: {
        markets: [
          {
            name: 'demo',
            streams: ['companies', 'financials', 'financials_v1'],
            refresh: { companies: '0d', financials: '0d', financials_v1: '0d' },
          },
        ],
        tenders: { filters: {} },
      },
      worker: null,
    });
    dataDir = path.join(system.project.dir, 'data');
    for (const day of ['2026-11-18', '2026-11-19', '2026-11-20']) {
      const env = { TIDEMARK_NOW: `${day}T03:00:00Z` };
      await system.startWorker(env);
      await system.tidemarkWith(env, 'snapshot');
      await system.tidemarkWith(env, 'tenders');
      await system.worker.stop();
      await system.api.advanceDay();
    }
    lived = await tables();
  });

  afterAll(() => system?.stop());

  it('replays a deleted warehouse to the same tables without key, API or server', async () => {
    expect(Object.keys(lived).length).toBeGreaterThan(25);
    expect(lived['marts.changes']).not.toMatch(/^0 /);
    expect(lived['marts.financials_disagreement']).toBeDefined();
    rmSync(path.join(dataDir, 'warehouse'), { recursive: true });
    const { code, stdout } = await replay();
    expect(stdout).toMatch(/✔ replayed: [\d,]+ rows of [\d,]+ parts/);
    expect(code).toBe(0);
    expect(await tables()).toEqual(lived);
  });

  it('replays over a corrupt warehouse file to the same tables', async () => {
    const file = path.join(dataDir, 'warehouse', 'tidemark.duckdb');
    writeFileSync(file, 'no database');
    expect((await replay('--json')).code).toBe(0);
    expect(await tables()).toEqual(lived);
    const left = readdirSync(path.dirname(file)).filter((name) => !name.endsWith('.checkpoint.json'));
    expect(left).toEqual(['tidemark.duckdb']);
  });

  it('keeps the old warehouse in use when replay is killed halfway', async () => {
    const beside = path.join(dataDir, 'warehouse', 'tidemark.duckdb.rebuild');
    const child = spawn(process.execPath, [path.join(ROOT, 'bin/tidemark.mjs'), 'replay'], {
      cwd: system.project.dir,
      env: offline(),
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await waitUntil('the new warehouse is begun', () => Promise.resolve(existsSync(beside)));
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(beside)).toBe(true);
    expect(await tables()).toEqual(lived);
    expect((await replay()).code).toBe(0);
    expect(await tables()).toEqual(lived);
    expect(existsSync(beside)).toBe(false);
  });

  it('replays selected nights into another folder', async () => {
    const refused = await replay('--to', '2026-11-19');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/--from and --to need --into, because they select only some nights/);
    const into = path.join(system.project.dir, 'as-of');
    expect((await replay('--to', '2026-11-19', '--into', into)).code).toBe(0);
    const published = await openPublished(into);
    const nights = await published.objects(
      'SELECT DISTINCT CAST(date AS VARCHAR) AS date FROM marts.market_members ORDER BY 1',
    );
    published.close();
    expect(nights).toEqual([{ date: '2026-11-18' }, { date: '2026-11-19' }]);
    expect(await tables()).toEqual(lived);
  });

  it('rebuilds as a workflow: all nights in place, some in rebuilt/', async () => {
    await system.startWorker();
    const rebuild = (id: string, input: object) =>
      system.temporal.client.workflow.execute('rebuildWarehouse', {
        taskQueue: 'tidemark-crawl',
        workflowId: `rebuild/${id}`,
        args: [input],
      });
    try {
      rmSync(path.join(dataDir, 'warehouse'), { recursive: true });
      expect(await rebuild('all', {})).toMatchObject({ into: '', faults: [] });
      expect(await tables()).toEqual(lived);
      const some = (await rebuild('some', { to: '2026-11-18' })) as { into: string };
      expect(some.into).toBe(path.join('rebuilt', '..2026-11-18'));
      expect((await tables(path.join(dataDir, some.into)))['core.companies']).toMatch(/^200 /);
      await expect(rebuild('wrong', { form: '2026-11-18' })).rejects.toMatchObject({
        cause: { cause: { type: 'InvalidInput', message: expect.stringMatching(/Allowed: \{"from"/) } },
      });
      const stateOf = async (id: string) => {
        const run = await system.temporal.client.workflow.getHandle(`rebuild/${id}`).describe();
        return [OUTCOME_ATTRIBUTE, PHASE_ATTRIBUTE].map((key) => run.typedSearchAttributes.get(key));
      };
      expect(await stateOf('all')).toEqual(['complete', 'done']);
      expect(await stateOf('wrong')).toEqual(['failed', 'loading']);
    } finally {
      await system.worker.stop();
    }
    expect(await tables()).toEqual(lived);
  });

  it('reports an unreadable part and rebuilds the rest', async () => {
    // With the data in a bucket, the bucket and its working copy are damaged.
    for (const landing of [system.project.landing, path.join(dataDir, 'landing')]) {
      const folder = path.join(landing, 'tenders', 'date=2026-11-20');
      const [run] = readdirSync(folder);
      const manifests = path.join(folder, run!, '_manifest');
      writeFileSync(path.join(manifests, readdirSync(manifests)[0]!), '{');
    }
    const { code, stdout } = await replay();
    expect(code).toBe(1);
    expect(stdout).toMatch(/✖ replayed only in part/);
    expect(stdout).toMatch(/unreadable .*tenders.*_manifest.* is no manifest/);
    expect((await tables())['core.companies']).toBe(lived['core.companies']);
  });
});
