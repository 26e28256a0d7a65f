import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, type Project } from '../helpers/project.js';
import { control, waitUntil } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';
import { expectMarketEqualsTruth } from '../helpers/truth.js';

const MARKET = { companies: 150, tenders: 2, seed: 13 };
const TRIES = 10;

type Where = (progress: Progress) => boolean;
const PHASES: [name: string, where: Where][] = [
  ['the search', ({ steps }) => steps.some(({ name, state }) => name === 'search' && state === 'running')],
  ['details', ({ steps }) => steps.some(({ name, state }) => name === 'companies' && state === 'running')],
  ['loading', ({ phase }) => phase === 'loading'],
  ['modelling', ({ phase }) => phase === 'modelling'],
  ['publishing', ({ phase }) => phase === 'publishing'],
];

describe('a run that is cancelled', () => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let worker: RunningProcess;
  const cancelled: string[] = [];

  const start = (id: string): Promise<WorkflowHandle> =>
    temporal.client.workflow.start('marketSnapshot', { taskQueue: 'tidemark-crawl', workflowId: id, args: [{}] });

  beforeAll(async () => {
    [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox(MARKET)]);
    project = makeProject({
      api: sandbox,
      temporal: temporal.address,
      config: { markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }] },
    });
    worker = await project.startWorker();
    await ((await start('snapshot/demo/first')).result() as Promise<RunResult>);
    await control(sandbox, 'faults', { route: '/v2/', kind: 'latency', latency: 50, times: 0 });
  });

  afterAll(async () => {
    await worker?.stop();
    await sandbox?.stop();
    await temporal?.teardown();
    project?.remove();
  });

  it.each(PHASES)('while it is at %s leaves what readers have whole, and says so', async (name, where) => {
    for (let tried = 1; ; tried++) {
      const run = await start(`snapshot/demo/${name.replace(' ', '-')}-${tried}`);
      await waitUntil(
        `the run is at ${name}`,
        async () => {
          const { status } = await run.describe();
          return status.name !== 'RUNNING' || where(await run.query<Progress>('progress'));
        },
        { everyMs: 5 },
      );
      await run.cancel();
      const end = await run.result().then(
        () => 'done',
        (error: unknown) => (error instanceof WorkflowFailedError ? error.cause?.name : String(error)),
      );
      // The moment of a short phase may be over when the message comes.
      if (end === 'done' && tried < TRIES) continue;
      expect(end).toBe('CancelledFailure');
      cancelled.push((await run.describe()).raw.workflowExecutionInfo?.execution?.runId ?? '');
      break;
    }
    await expectMarketEqualsTruth(project, MARKET);
  });

  it('is marked cancelled by the next run, which finds nothing amiss', async () => {
    await fetch(`${sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
    const result = (await (await start('snapshot/demo/last')).result()) as RunResult;
    expect(result.outcome).toBe('complete');
    await expectMarketEqualsTruth(project, MARKET);
    const filed = await project.query('SELECT run_id, outcome FROM ops.runs ORDER BY started_at');
    for (const run_id of cancelled) expect(filed).toContainEqual({ run_id, outcome: 'cancelled' });
    expect(cancelled).toHaveLength(PHASES.length);
  });
});
