import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { advanceDay, control } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';
import { runCli } from '../src/commands/run-cli.js';

const COMPANIES = 300;

// From the outside: an API that counts forty companies more than it lists, or suddenly counts far fewer.
describe('a night that falls short of what the configuration asks', () => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let worker: RunningProcess;
  let now = new Date();

  const tidemark = async (...args: string[]) => {
    const env = Object.entries({ ...project.env, TIDEMARK_NOW: now.toISOString() });
    return runCli(args, {
      cwd: project.dir,
      env: Object.fromEntries(env.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))),
    });
  };
  const members = () =>
    project.query(
      'SELECT date::VARCHAR AS date, count(*)::INTEGER AS n FROM marts.market_members GROUP BY date ORDER BY 1',
    );
  const day = () => now.toISOString().slice(0, 10);
  const startWorker = async () => {
    worker = await project.startWorker({ TIDEMARK_NOW: now.toISOString() });
  };

  beforeAll(async () => {
    [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox({ companies: COMPANIES, tenders: 1 })]);
    project = makeProject({
      api: sandbox,
      temporal: temporal.address,
      config: { markets: [{ name: 'demo', streams: ['companies'], minCoverage: '95%' }] },
    });
    await startWorker();
  });

  afterAll(async () => {
    await worker?.stop();
    await sandbox?.stop();
    await temporal?.teardown();
    project?.remove();
  });

  it('the first night: nothing is current, the records are there, and everyone says so', async () => {
    await control(sandbox, 'faults', { route: '/v2/prospecting', kind: 'drift', by: 40, times: 0 });
    const { code, stdout } = await tidemark('snapshot');
    expect(stdout).toMatch(/partial, incomplete, held back/);
    expect(stdout).toMatch(/300 of 340 companies \(88\.23 %\), 40 missing/);
    expect(stdout).toMatch(/below minCoverage \(95 %\).*This market has no current night yet.*lower `minCoverage`/);
    expect(code).toBe(1);
    expect(await members()).toEqual([]);
    expect(await project.query('SELECT count(*)::INTEGER AS n FROM core.companies WHERE has_details')).toEqual([
      { n: COMPANIES },
    ]);
    expect((await tidemark('status')).stdout).toMatch(/partial, held back[\s\S]*below minCoverage \(95 %\)/);
    expect((await tidemark('coverage')).stdout).toMatch(/Held back: the run found 300 of 340/);
  });

  it('the same night again, whole: it becomes current, and fetches nothing twice', async () => {
    await fetch(`${sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
    const { code, stdout } = await tidemark('snapshot', '--json');
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as RunResult;
    expect(result).toMatchObject({ outcome: 'complete', incomplete: false, heldBack: null });
    expect(result.due).toEqual([{ stream: 'companies', known: COMPANIES, due: 0, reasons: {} }]);
    expect(await members()).toEqual([{ date: day(), n: COMPANIES }]);
  });

  it('a later night that falls short leaves the good one in place', async () => {
    const good = await members();
    await advanceDay(sandbox);
    now = new Date(now.getTime() + 86_400_000);
    await worker.stop();
    await startWorker();
    await control(sandbox, 'faults', { route: '/v2/prospecting', kind: 'drift', by: 40, times: 0 });
    const { code, stdout } = await tidemark('snapshot', '--json');
    expect(code).toBe(1);
    const result = JSON.parse(stdout) as RunResult;
    expect(result.incomplete).toBe(true);
    expect(result.heldBack).toMatch(new RegExp(`night of ${good[0]?.['date'] as string} stays current`));
    expect(await members()).toEqual(good);
    const runs = JSON.parse((await tidemark('runs', '--json')).stdout) as { held_back: boolean }[];
    expect(runs.map((run) => run.held_back)).toEqual([true, false, true]);
  });
});
