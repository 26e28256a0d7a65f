import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowHandle } from '@temporalio/client';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { control, countRequests, waitUntil } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';
import { expectMarketEqualsTruth } from '../helpers/truth.js';

const MARKET = { companies: 250, tenders: 40, seed: 9 };
const CONCURRENCY = 8;
// The whole market, its reports, and the search.
const WHOLE = 2 * MARKET.companies;

describe('a daily quota that is too small', () => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let worker: RunningProcess;

  const start = (type: string, input: object = {}): Promise<WorkflowHandle> =>
    temporal.client.workflow.start(type, {
      taskQueue: 'tidemark-crawl',
      workflowId: `${type}/${JSON.stringify(input)}/${Math.round(performance.now())}`,
      args: [input],
    });
  const phase = async (run: WorkflowHandle) => (await run.query<Progress>('progress')).phase;
  const waits = (run: WorkflowHandle) =>
    waitUntil('the run waits for the quota', async () => (await phase(run)) === 'waiting-for-quota');
  /** Data calls the API answered with the daily limit. */
  const refused = async (): Promise<number> => {
    const report = await fetch(`${sandbox.url}/_sandbox/requests`);
    const { statuses } = (await report.json()) as { statuses: Record<string, number> };
    return statuses['429'] ?? 0;
  };

  beforeAll(async () => {
    [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox({ ...MARKET, 'daily-limit': 1 })]);
    project = makeProject({
      api: sandbox,
      temporal: temporal.address,
      config: {
        api: { baseUrl: sandbox.url, maxConcurrency: CONCURRENCY },
        quota: { probeEvery: '1s', reserve: '10%' },
        markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
      },
    });
    worker = await project.startWorker();
  });

  afterAll(async () => {
    await worker?.stop();
    await sandbox?.stop();
    await temporal?.teardown();
    project?.remove();
  });

  it('is waited for five times, asks for nothing meanwhile, and ends with the same tables', async () => {
    const run = await start('marketSnapshot');
    const share = Math.ceil(WHOLE / 5);
    for (let day = 1; day <= 5; day++) {
      await waits(run);
      const before = await countRequests(sandbox, 'GET /v2/companies/{id}');
      const told = await refused();
      // Of what was in flight when the API first said so, each heard it once, and nothing was sent after.
      expect(told).toBeLessThanOrEqual(day * CONCURRENCY);
      expect(await countRequests(sandbox, 'GET /v2/companies/{id}')).toBe(before);
      await control(sandbox, 'quota', { dailyLimit: day * share });
    }
    await waits(run);
    await control(sandbox, 'quota', { dailyLimit: 1_000_000 });
    // Someone else with the same key.
    for (let call = 0; call < 60; call++) {
      await fetch(`${sandbox.url}/v2/financial/1`, { headers: { authorization: `Token ${sandbox.key}` } });
    }
    const result = (await run.result()) as RunResult;
    expect(result.outcome).toBe('complete');
    expect(result.notes).toEqual([expect.stringMatching(/The API counted \d+ .* \d+ are not its own/)]);
    const [drift] = await project.query('SELECT drift::INTEGER AS drift FROM ops.quota_drift');
    // The calls that the limit refused were sent, and not counted: they hide as many of the others.
    expect(drift?.['drift']).toBeGreaterThan(60 - 6 * CONCURRENCY);
    expect(drift?.['drift']).toBeLessThanOrEqual(60);
    await expectMarketEqualsTruth(project, MARKET);
    const asked = await countRequests(sandbox, 'GET /v2/companies/{id}');
    expect(asked).toBeLessThanOrEqual(MARKET.companies + 6 * CONCURRENCY);
  });

  it('is asked for by one gate for all runs, which go on in the order of their worth', async () => {
    await control(sandbox, 'quota', { dailyLimit: 1 });
    const order: string[] = [];
    const watch = (name: string, run: WorkflowHandle) =>
      waitUntil(`${name} goes on`, async () => (await phase(run)) !== 'waiting-for-quota').then(() => order.push(name));
    const backfill = await start('backfill', { from: '2026-01-01', to: '2026-01-02', streams: ['tenders'] });
    await waits(backfill);
    const tenders = await start('tenderSnapshot');
    await waits(tenders);
    const snapshot = await start('marketSnapshot');
    await waits(snapshot);
    const gates: string[] = [];
    for await (const { workflowId } of temporal.client.workflow.list({
      query: `WorkflowType = 'quotaGate' AND ExecutionStatus = 'Running'`,
    }))
      gates.push(workflowId);
    expect(gates).toHaveLength(1);
    expect(gates[0]).toMatch(/^quota\/[0-9a-f]{16}$/);
    const probes = await countRequests(sandbox, 'GET /v2/metrics');
    await waitUntil('the gate asks', async () => (await countRequests(sandbox, 'GET /v2/metrics')) >= probes + 3);
    const going = [watch('backfill', backfill), watch('tenders', tenders), watch('snapshot', snapshot)];
    await control(sandbox, 'quota', { dailyLimit: 1_000_000 });
    await Promise.all(going);
    expect(order).toEqual(['snapshot', 'tenders', 'backfill']);
    await Promise.all([backfill.result(), tenders.result(), snapshot.result()]);
  });

  it('leaves a backfill waiting while only what is reserved is left', async () => {
    const { used } = await metric();
    // Twice the reserve of 10 % is more than is left.
    await control(sandbox, 'quota', { dailyLimit: Math.ceil(used / 0.85) });
    const backfill = await start('backfill', { from: '2026-01-01', to: '2026-01-02', streams: ['tenders'] });
    await waits(backfill);
    const tenders = await start('tenderSnapshot');
    expect(((await tenders.result()) as RunResult).outcome).toBe('complete');
    expect(await phase(backfill)).toBe('waiting-for-quota');
    await control(sandbox, 'quota', { dailyLimit: 1_000_000 });
    await backfill.result();
  });

  it('a run that is cancelled while it waits ends at once, and is marked so', async () => {
    await control(sandbox, 'quota', { dailyLimit: 1 });
    const run = await start('marketSnapshot');
    await waits(run);
    await run.cancel();
    await expect(run.result()).rejects.toThrow(/cancelled/i);
    await control(sandbox, 'quota', { dailyLimit: 1_000_000 });
    await (await start('tenderSnapshot')).result();
    const runs = await project.query(`SELECT outcome FROM ops.runs WHERE workflow_id = '${run.workflowId}'`);
    expect(runs).toEqual([{ outcome: 'cancelled' }]);
  });

  it('without a usable figure one run tries now and then, and goes on when there is room', async () => {
    await worker.stop();
    const config = readFileSync(project.env['TIDEMARK_CONFIG'] ?? '', 'utf8');
    const file = path.join(project.dir, 'no-figure.yaml');
    writeFileSync(file, config.replace('probeEvery:', 'metric: no_such_metric\n  probeEvery:'));
    worker = await project.startWorker({ TIDEMARK_CONFIG: file });
    await control(sandbox, 'quota', { dailyLimit: 1 });
    const run = await start('marketSnapshot');
    await waits(run);
    const told = await refused();
    await waitUntil('it has tried again', async () => (await refused()) > told);
    await waits(run);
    await control(sandbox, 'quota', { dailyLimit: 1_000_000 });
    expect(((await run.result()) as RunResult).outcome).toBe('complete');
  });

  async function metric(): Promise<{ used: number; total: number }> {
    const answer = await fetch(`${sandbox.url}/v2/metrics`, { headers: { authorization: `Token ${sandbox.key}` } });
    const groups = (await answer.json()) as { metrics: { codename: string; used: number; total: number }[] }[];
    const daily = groups.flatMap(({ metrics }) => metrics).find(({ codename }) => /daily/i.test(codename));
    return daily ?? { used: 0, total: 0 };
  }
});
