import { cpSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSandbox, type RunningProcess, type RunningSandbox } from '../helpers/processes.js';
import { makeProject, queryFile, type Project } from '../helpers/project.js';
import { control, countRequests, waitUntil } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';
import { expectMarketEqualsTruth } from '../helpers/truth.js';

const MARKET = { companies: 150, tenders: 2, seed: 23 };
const DETAILS = 'GET /v2/companies/{id}';

describe('a data folder that changes while a run is under way', () => {
  let temporal: TestWorkflowEnvironment;
  let sandbox: RunningSandbox;
  let project: Project;
  let worker: RunningProcess;
  let nights = 0;

  const start = (): Promise<WorkflowHandle> =>
    temporal.client.workflow.start('marketSnapshot', {
      taskQueue: 'tidemark-crawl',
      workflowId: `snapshot/demo/night-${++nights}`,
      args: [{}],
    });
  /** A run whose worker was killed while it fetched details. */
  const killed = async (): Promise<WorkflowHandle> => {
    await control(sandbox, 'faults', { route: '/v2/companies/', kind: 'latency', latency: 150, times: 0 });
    const before = await countRequests(sandbox, DETAILS);
    const run = await start();
    await waitUntil('details are fetched', async () => (await countRequests(sandbox, DETAILS)) > before + 20);
    await worker.stop('SIGKILL');
    await fetch(`${sandbox.url}/_sandbox/faults`, { method: 'DELETE' });
    return run;
  };
  const failureOf = async (run: WorkflowHandle): Promise<{ type?: string; message?: string }> => {
    const error: unknown = await run.result().catch((thrown: unknown) => thrown);
    if (!(error instanceof WorkflowFailedError)) throw new Error(`the run did not fail: ${JSON.stringify(error)}`);
    return error.cause?.cause as { type?: string; message?: string };
  };
  const nextNight = async (): Promise<RunResult> => (await (await start()).result()) as RunResult;

  beforeAll(async () => {
    [temporal, sandbox] = await Promise.all([startTemporal(), startSandbox(MARKET)]);
  });

  beforeEach(async () => {
    project = makeProject({
      api: sandbox,
      temporal: temporal.address,
      config: {
        api: { baseUrl: sandbox.url, maxConcurrency: 4 },
        markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
      },
    });
    worker = await project.startWorker();
  });

  afterEach(async () => {
    await worker.stop();
    project.remove();
  });

  afterAll(async () => {
    await sandbox?.stop();
    await temporal?.teardown();
  });

  it('restored from a backup: the run fails, is filed as failed, and the next one is whole', async () => {
    const backup = path.join(project.dir, 'backup');
    expect((await nextNight()).outcome).toBe('complete');
    await worker.stop();
    cpSync(project.dataDir, backup, { recursive: true, verbatimSymlinks: true });
    worker = await project.startWorker();

    const run = await killed();
    rmSync(project.dataDir, { recursive: true });
    renameSync(backup, project.dataDir);
    worker = await project.startWorker();
    const failure = await failureOf(run);
    expect(failure.type).toBe('DataFolderChanged');
    expect(failure.message).toMatch(/changed during the run: .* Was a backup restored.* Start it again/);

    expect((await nextNight()).outcome).toBe('complete');
    await expectMarketEqualsTruth(project, MARKET);
    const { runId } = await run.describe();
    expect(await project.query('SELECT run_id, outcome FROM ops.runs')).toContainEqual({
      run_id: runId,
      outcome: 'failed',
    });
  });

  it('emptied: the run fails instead of waiting for a folder that is no more', async () => {
    const run = await killed();
    rmSync(project.dataDir, { recursive: true });
    worker = await project.startWorker();
    const failure = await failureOf(run);
    expect(failure.type).toBe('DataFolderChanged');
    expect(failure.message).toMatch(/its id was [0-9a-f-]+ when the run began and is [0-9a-f-]+ now/);
    expect((await nextNight()).outcome).toBe('complete');
    await expectMarketEqualsTruth(project, MARKET);
  });

  it('moved: the run goes on where the folder is now', async () => {
    const run = await killed();
    const moved = path.join(project.dir, 'elsewhere');
    renameSync(project.dataDir, moved);
    worker = await project.startWorker({ TIDEMARK_DATA: moved });
    const result = (await run.result()) as RunResult;
    expect(result.outcome).toBe('complete');
    const [row] = await queryFile(
      path.join(moved, 'published', 'market.duckdb'),
      'SELECT count(*)::INTEGER AS n FROM core.companies',
    );
    expect(row).toEqual({ n: MARKET.companies });
  });
});
