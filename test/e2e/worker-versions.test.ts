import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import type { RunningProcess } from '../helpers/processes.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { startUpgradedWorker } from '../helpers/upgraded-worker.js';

let system: System;
let upgraded: RunningProcess | null = null;

beforeAll(async () => {
  system = await startSystem({ market: { companies: 40, tenders: 3, seed: 9 } });
});

afterAll(async () => {
  await upgraded?.stop();
  await system?.stop();
});

interface Workers {
  current: string;
  versions: { version: string; workers: string; runs: number }[];
  warnings: string[];
}

const workers = async (): Promise<Workers> =>
  JSON.parse((await system.tidemark('workers', '--json')).stdout) as Workers;
const isPaused = async (run: WorkflowHandle) => (await run.query<Progress>('progress')).phase === 'paused';
const startPaused = async (id: string): Promise<WorkflowHandle> => {
  const run = await system.start('tenderSnapshot', id);
  await run.signal('pause');
  await waitUntil('the run is paused', () => isPaused(run));
  return run;
};

/** Builds whose workers completed the workflow tasks of a run, in order, without repeats. */
async function buildsOf(run: WorkflowHandle): Promise<string[]> {
  const { events } = await run.fetchHistory();
  const builds = (events ?? []).flatMap(
    ({ workflowTaskCompletedEventAttributes: done }) =>
      done?.deploymentVersion?.buildId ?? done?.workerDeploymentVersion?.split('.').at(-1) ?? [],
  );
  return [...new Set(builds)];
}

it('finishes an open run on the old version while a new run starts on the new one', async () => {
  const { current: old } = await workers();
  const open = await startPaused('tenders/old');
  upgraded = await startUpgradedWorker(system.project.env);
  const { current, versions } = await workers();
  expect(current).not.toBe(old);
  expect(versions).toMatchObject([
    { version: current, workers: 'polling', runs: 0 },
    { version: old, workers: 'polling', runs: 1 },
  ]);
  const later = await system.start('tenderSnapshot', 'tenders/new');
  expect(((await later.result()) as RunResult).outcome).toBe('complete');
  await open.signal('resume');
  expect(((await open.result()) as RunResult).outcome).toBe('complete');
  expect(await buildsOf(open)).toEqual([old]);
  expect(await buildsOf(later)).toEqual([current]);
});

it('keeps the new version current when a worker of the old version restarts', async () => {
  const { current } = await workers();
  await system.worker.stop();
  await system.startWorker();
  expect((await workers()).current).toBe(current);
});

it('moves a run to the current version if its own version has no worker, and says so until then', async () => {
  const { current, versions } = await workers();
  const old = versions.find(({ version }) => version !== current)?.version ?? '';
  // A run of the old version, as a run that was open during the upgrade.
  const { promoted } = await promote(old);
  expect(promoted).toContain(`New runs start on version ${old}.`);
  const open = await startPaused('tenders/stranded');
  await promote(current);
  await upgraded?.stop();
  await system.worker.stop('SIGKILL');
  const warning = new RegExp(`tenders/stranded waits: it is pinned to version ${old}, which has no worker\\.`);
  expect((await workers()).warnings.join('\n')).toMatch(warning);
  expect((await system.tidemark('status')).stdout).toMatch(warning);
  expect((await system.tidemark('doctor')).stdout).toMatch(warning);
  await open.signal('resume');
  upgraded = await startUpgradedWorker(system.project.env);
  expect(((await open.result()) as RunResult).outcome).toBe('complete');
  expect(await buildsOf(open)).toEqual([old, current]);
  expect((await workers()).warnings).toEqual([]);
});

async function promote(version: string): Promise<{ promoted: string }> {
  const { code, stdout, stderr } = await system.tidemark('workers', 'promote', version);
  expect(code, stderr).toBe(0);
  return { promoted: stdout };
}
