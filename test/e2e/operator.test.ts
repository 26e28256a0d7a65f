import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { WorkflowHandle } from '@temporalio/client';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { control, countRequests, waitUntil } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';
import { expectMarketEqualsTruth } from '../helpers/truth.js';

const MARKET = { companies: 700, tenders: 5, seed: 9 };

describe('what an operator meets', () => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let worker: RunningProcess;

  const start = (id: string): Promise<WorkflowHandle> =>
    temporal.client.workflow.start('marketSnapshot', { taskQueue: 'tidemark-crawl', workflowId: id, args: [{}] });
  const phase = async (run: WorkflowHandle) => (await run.query<Progress>('progress')).phase;

  beforeAll(async () => {
    [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox({ ...MARKET, 'daily-limit': 400 })]);
    project = makeProject({
      api: sandbox,
      temporal: temporal.address,
      config: {
        quota: { probeEvery: '1s' },
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

  it('the daily limit: the run waits, asks for the quota, and goes on from where it was', async () => {
    const run = await start('snapshot/demo/quota');
    await waitUntil('the run waits for the quota', async () => (await phase(run)) === 'waiting-for-quota');
    await control(sandbox, 'quota', { dailyLimit: 1_000_000 });
    const result = (await run.result()) as RunResult;
    expect(result.outcome).toBe('complete');
    await expectMarketEqualsTruth(project, MARKET);
    // Each company once; beyond that only what the limit itself refused.
    expect(await countRequests(sandbox, 'GET /v2/companies/{id}')).toBeLessThanOrEqual(MARKET.companies + 32);
  });

  it('pause stops before the next chunk, resume goes on', async () => {
    await control(sandbox, 'faults', { kind: 'latency', latency: 5, times: 100_000 });
    const run = await start('snapshot/demo/paused');
    await run.signal('pause');
    await waitUntil('the run is paused', async () => (await phase(run)) === 'paused');
    const sent = await countRequests(sandbox);
    expect(await countRequests(sandbox)).toBe(sent);
    await run.signal('resume');
    expect(((await run.result()) as RunResult).outcome).toBe('complete');
  });
});
