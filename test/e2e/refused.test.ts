import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { control, countRequests } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';
import { runCli } from '../src/commands/run-cli.js';

const MARKET = { companies: 250, tenders: 40, seed: 5 };
const KEY = 'a-key-that-may-do-less';

// The sandbox's keys have permissions; here the key lacks one after the other.
describe('a key without a permission', () => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let worker: RunningProcess;

  const may = (...permissions: string[]) => control(sandbox, 'keys', { key: KEY, permissions });
  const tidemark = (...args: string[]) => {
    const env = Object.entries(project.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    return runCli(args, { cwd: project.dir, env: Object.fromEntries(env) as Record<string, string> });
  };

  beforeAll(async () => {
    [temporal, sandbox] = await Promise.all([
      startTemporal(),
      startSandbox({ ...MARKET, key: `${KEY}=prospecting,company_details,tenders`, 'permission-body': 'access' }),
    ]);
    project = makeProject({
      api: { url: sandbox.url, key: KEY },
      temporal: temporal.address,
      config: { markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }] },
    });
    worker = await project.startWorker();
  });

  afterAll(async () => {
    await worker?.stop();
    await sandbox?.stop();
    await temporal?.teardown();
    project?.remove();
  });

  it('for reports sends few requests, names it everywhere, exits with 1 and reads the rest', async () => {
    const run = await tidemark('snapshot', '--json');
    expect(run.code, run.stderr).toBe(1);
    const refused = {
      stream: 'financials',
      endpoint: 'GET /v2/financial/{id}',
      permission: expect.stringMatching(/financial/i) as string,
      module: 'Company data',
      app: 'Company Data API',
      guard: 'permission',
    };
    const result = JSON.parse(run.stdout) as { outcome: string; notes: string[]; refused: { permission: string }[] };
    expect(result).toMatchObject({ outcome: 'partial', rejects: 0, coverage: { missing: 0 }, refused: [refused] });
    const sentence = expect.stringMatching(
      /^financials: this key lacks the permission ".*", module "Company data"/,
    ) as string;
    expect(result.notes).toEqual([sentence]);
    // Two chunks of 500 are begun at once; each sends three requests, and two to be sure.
    expect(await countRequests(sandbox, 'GET /v2/financial/{id}')).toBeLessThanOrEqual(10);
    expect(await project.query('SELECT count(*)::INTEGER AS n FROM core.companies WHERE has_details')).toEqual([
      { n: MARKET.companies },
    ]);
    expect(await project.query('SELECT count(*)::INTEGER AS n FROM ops.rejects')).toEqual([{ n: 0 }]);
    const [filed] = await project.query('SELECT refused, outcome FROM ops.runs');
    expect(JSON.parse(filed?.['refused'] as string)).toMatchObject([refused]);
    expect((await tidemark('status')).stdout).toMatch(/! financials: this key lacks the permission/);
  });

  it('asks again in the next night, and for a few only while it is still missing', async () => {
    const before = await countRequests(sandbox, 'GET /v2/financial/{id}');
    expect((await tidemark('snapshot')).code).toBe(1);
    expect(await countRequests(sandbox, 'GET /v2/financial/{id}')).toBeLessThanOrEqual(before + 10);
    await may('prospecting', 'company_details', 'tenders', 'financials');
    const granted = await tidemark('snapshot', '--json');
    expect(granted.code, granted.stdout).toBe(0);
    expect(JSON.parse(granted.stdout)).toMatchObject({ outcome: 'complete', refused: [] });
    expect((await tidemark('status')).stdout).not.toContain('lacks');
  });

  it('for tenders, or for watching, ends that run with the reason', async () => {
    await may('prospecting', 'company_details', 'financials');
    const tenders = await tidemark('tenders', '--json');
    expect(tenders.code).toBe(1);
    expect(JSON.parse(tenders.stdout)).toMatchObject({
      outcome: 'partial',
      refused: expect.arrayContaining([
        expect.objectContaining({ stream: 'tenders', endpoint: 'POST /v1/finder/tenders', permission: null }),
      ]) as object[],
    });
    const watch = await tidemark('watch', 'sync', '--json');
    expect(watch.code).toBe(1);
    expect(watch.stdout).toMatch(/watched_companies/);
  });

  it('for searches fails the run at once, saying what is missing', async () => {
    await may('company_details');
    const before = await countRequests(sandbox, 'POST /v2/prospecting');
    const run = await tidemark('snapshot');
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(/prospecting: this key lacks the permission "[^"]+", module "Company data"/);
    expect(await countRequests(sandbox, 'POST /v2/prospecting')).toBeLessThanOrEqual(before + 5);
  });
});
