import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { queryFile } from '../helpers/project.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 150, tenders: 2, seed: 23 };
const DETAILS = 'GET /v2/companies/{id}';

// With `TEST_DATA=bucket`, the bucket changes. The gateway keeps it in a folder.
describe('a data folder that changes during a run', () => {
  let system: System;
  let nights = 0;

  /** The folder that holds the data itself. */
  const dataFolder = (): string => path.dirname(system.project.landing);
  const inBucket = (): boolean => system.project.data.startsWith('s3://');
  /** Copies the data, with the extended attributes of the gateway. */
  const backUp = (): string => {
    const backup = `${dataFolder()}-backup`;
    execFileSync('cp', ['-a', dataFolder(), backup]);
    return backup;
  };
  const removeWorkingCopy = (): void => rmSync(system.project.dataDir, { recursive: true, force: true });
  const removeData = (): void => rmSync(dataFolder(), { recursive: true });
  /** Moves data to a new place, and starts a worker with it. */
  const startIn = async (place: 'restored' | 'elsewhere', from: string): Promise<void> => {
    const moved = path.join(path.dirname(dataFolder()), place);
    renameSync(from, moved);
    removeWorkingCopy();
    const { data } = system.project;
    await system.startWorker({ TIDEMARK_DATA: inBucket() ? data.replace(/[^/]*$/, place) : moved });
  };
  const publishedIn = (place: 'restored' | 'elsewhere'): string =>
    inBucket() ? system.project.published : path.join(system.project.dir, place, 'published', 'market.duckdb');

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
    expect((await nextNight()).outcome).toBe('complete');
    await system.worker.stop();
    const backup = backUp();
    await system.startWorker();

    const run = await killed();
    removeData();
    // As in docs/many-machines.md.
    removeWorkingCopy();
    renameSync(backup, dataFolder());
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
    removeData();
    await system.startWorker();
    const failure = await failureOf(run);
    expect(failure.type).toBe('DataFolderChanged');
    expect(failure.message).toMatch(/its id was [0-9a-f-]+ when the run began and is [0-9a-f-]+ now/);
    expect((await nextNight()).outcome).toBe('complete');
    await system.api.expectMarketEqualsTruth(system.project);
  });

  it('continues the next night from a backup that was made while the worker was idle', async () => {
    expect((await nextNight()).outcome).toBe('complete');
    // As in docs/operations.md: the worker keeps running, but no run is open.
    const backup = backUp();
    await system.worker.stop();
    removeData();

    await startIn('restored', backup);
    expect((await nextNight()).outcome).toBe('complete');
    const [row] = await queryFile(
      publishedIn('restored'),
      `SELECT (SELECT count(*)::INTEGER FROM core.companies) AS companies,
              (SELECT count(*)::INTEGER FROM ops.runs WHERE outcome = 'complete') AS nights`,
    );
    expect(row).toEqual({ companies: MARKET.companies, nights: 2 });
  });

  it('continues a run whose data folder was moved', async () => {
    const run = await killed();
    await startIn('elsewhere', dataFolder());
    const result = (await run.result()) as RunResult;
    expect(result.outcome).toBe('complete');
    const [row] = await queryFile(publishedIn('elsewhere'), 'SELECT count(*)::INTEGER AS n FROM core.companies');
    expect(row).toEqual({ n: MARKET.companies });
  });
});
