import { cpSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { queryFile } from '../helpers/project.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 150, tenders: 2, seed: 23 };
const DETAILS = 'GET /v2/companies/{id}';

describe('a data folder that changes during a run', () => {
  let system: System;
  let nights = 0;

  const start = (): Promise<WorkflowHandle> => system.start('marketSnapshot', `snapshot/demo/night-${++nights}`);
  /** A run whose worker was killed while it fetched details. */
  const killed = async (): Promise<WorkflowHandle> => {
    await system.api.answer({ route: '/v2/companies/', latency: 150 });
    const before = await system.api.requests(DETAILS);
    const run = await start();
    await waitUntil('details are fetched', async () => (await system.api.requests(DETAILS)) > before + 20);
    await system.worker.stop('SIGKILL');
    await system.api.clearFaults();
    return run;
  };
  const failureOf = async (run: WorkflowHandle): Promise<{ type?: string; message?: string }> => {
    const error: unknown = await run.result().catch((thrown: unknown) => thrown);
    if (!(error instanceof WorkflowFailedError)) throw new Error(`the run did not fail: ${JSON.stringify(error)}`);
    return error.cause?.cause as { type?: string; message?: string };
  };
  const nextNight = async (): Promise<RunResult> => (await (await start()).result()) as RunResult;

  beforeAll(async () => {
    system = await startSystem({ market: MARKET, worker: null });
  });

  beforeEach(async () => {
    system.project = system.addProject({
      api: { maxConcurrency: 4 },
      markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
    });
    await system.startWorker();
  });

  afterEach(async () => {
    await system.worker.stop();
    system.project.remove();
  });

  afterAll(() => system?.stop());

  it('fails a run whose data folder was restored from a backup; the next completes', async () => {
    const backup = path.join(system.project.dir, 'backup');
    expect((await nextNight()).outcome).toBe('complete');
    await system.worker.stop();
    cpSync(system.project.dataDir, backup, { recursive: true, verbatimSymlinks: true });
    await system.startWorker();

    const run = await killed();
    rmSync(system.project.dataDir, { recursive: true });
    renameSync(backup, system.project.dataDir);
    await system.startWorker();
    const failure = await failureOf(run);
    expect(failure.type).toBe('DataFolderChanged');
    expect(failure.message).toMatch(/changed during the run: .* Was a backup restored.* Start it again/);

    expect((await nextNight()).outcome).toBe('complete');
    await system.api.expectMarketEqualsTruth(system.project);
    const { runId } = await run.describe();
    expect(await system.project.query('SELECT run_id, outcome FROM ops.runs')).toContainEqual({
      run_id: runId,
      outcome: 'failed',
    });
  });

  it('fails a run whose data folder was emptied', async () => {
    const run = await killed();
    rmSync(system.project.dataDir, { recursive: true });
    await system.startWorker();
    const failure = await failureOf(run);
    expect(failure.type).toBe('DataFolderChanged');
    expect(failure.message).toMatch(/its id was [0-9a-f-]+ when the run began and is [0-9a-f-]+ now/);
    expect((await nextNight()).outcome).toBe('complete');
    await system.api.expectMarketEqualsTruth(system.project);
  });

  it('continues the next night from a backup that was made while the worker was idle', async () => {
    expect((await nextNight()).outcome).toBe('complete');
    const backup = path.join(system.project.dir, 'backup');
    // As in docs/operations.md: the worker keeps running, but no run is open.
    cpSync(system.project.dataDir, backup, { recursive: true, verbatimSymlinks: true });
    await system.worker.stop();
    rmSync(system.project.dataDir, { recursive: true });
    const restored = path.join(system.project.dir, 'restored');
    renameSync(backup, restored);

    await system.startWorker({ TIDEMARK_DATA: restored });
    expect((await nextNight()).outcome).toBe('complete');
    const [row] = await queryFile(
      path.join(restored, 'published', 'market.duckdb'),
      `SELECT (SELECT count(*)::INTEGER FROM core.companies) AS companies,
              (SELECT count(*)::INTEGER FROM ops.runs WHERE outcome = 'complete') AS nights`,
    );
    expect(row).toEqual({ companies: MARKET.companies, nights: 2 });
  });

  it('continues a run whose data folder was moved', async () => {
    const run = await killed();
    const moved = path.join(system.project.dir, 'elsewhere');
    renameSync(system.project.dataDir, moved);
    await system.startWorker({ TIDEMARK_DATA: moved });
    const result = (await run.result()) as RunResult;
    expect(result.outcome).toBe('complete');
    const [row] = await queryFile(
      path.join(moved, 'published', 'market.duckdb'),
      'SELECT count(*)::INTEGER AS n FROM core.companies',
    );
    expect(row).toEqual({ n: MARKET.companies });
  });
});
