import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import type { RunningProcess } from '../helpers/processes.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { startUpgradedWorker } from '../helpers/upgraded-worker.js';

const MARKET = { companies: 150, tenders: 3, seed: 9 };
/** Answers that a killed worker may lose: lines that the spools of two chunks hold back. */
const LOST = 2 * 24;

let system: System;
let upgraded: RunningProcess | null = null;

beforeAll(async () => {
  system = await startSystem({ market: MARKET, config: { api: { maxConcurrency: 8 }, markets: [{ name: 'demo' }] } });
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
const details = (): Promise<number> => system.api.requests('GET /v2/companies/{id}');
/** Starts a run and returns when it has fetched about half of the companies. */
const startCrawling = async (id: string): Promise<WorkflowHandle> => {
  await system.api.answer({ route: '/v2/companies/', latency: 300 });
  const run = await system.start('marketSnapshot', id, { market: 'demo' });
  await waitUntil('company records are fetched', async () => (await details()) > 60);
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

it('leaves a run whose version has no worker on its version until `stop` ends it, and lands its answers next', async () => {
  const { current, versions } = await workers();
  const old = versions.find(({ version }) => version !== current)?.version ?? '';
  // A run of the old version, as a run that was open during the upgrade.
  const { promoted } = await promote(old);
  expect(promoted).toContain(`New runs start on version ${old}.`);
  const open = await startCrawling('snapshot/demo/stranded');
  const { promoted: again } = await promote(current);
  expect(again).not.toContain('stranded');
  await upgraded?.stop();
  await system.worker.stop('SIGKILL');
  const sent = await details();
  upgraded = await startUpgradedWorker(system.project.env);

  const ends = 'end the run: `tidemark stop --run snapshot/demo/stranded`';
  const warning = `snapshot/demo/stranded waits: it is pinned to version ${old}, which has no worker. Start a worker of that version, or ${ends}.`;
  expect((await workers()).warnings).toEqual([warning]);
  expect((await system.tidemark('status')).stdout).toContain(warning);
  expect((await system.tidemark('doctor')).stdout).toContain(warning);
  expect(await buildsOf(open)).toEqual([old]);

  const stopped = await system.tidemark('stop', '--run', 'snapshot/demo/stranded');
  expect(stopped.stdout).toMatch(/^snapshot\/demo\/stranded: ended at once, because its version has no worker\./);
  expect((await open.describe()).status.name).toBe('TERMINATED');
  await system.api.clearFaults();
  const next = await system.run('marketSnapshot', 'snapshot/demo/next', { market: 'demo' });
  expect(next.outcome).toBe('complete');
  expect(next.notes.join(' ')).toMatch(/This run landed the \d+ answers that snapshot\/demo\/stranded left\./);
  expect(await details()).toBeLessThan(MARKET.companies + LOST);
  expect(sent).toBeGreaterThan(LOST);
  await system.api.expectMarketEqualsTruth(system.project);
  expect((await workers()).warnings).toEqual([]);
});

async function promote(version: string): Promise<{ promoted: string }> {
  const { code, stdout, stderr } = await system.tidemark('workers', 'promote', version);
  expect(code, stderr).toBe(0);
  return { promoted: stdout };
}
