import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Progress, RebuildResult } from '../../schemas/pipeline/run.js';
import type { RunningProcess } from '../helpers/processes.js';
import type { Project } from '../helpers/project.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { hashTables } from '../helpers/table-hashes.js';

const COMPANIES = 400;

const CONFIG = {
  markets: [
    {
      name: 'demo',
      streams: ['companies', 'financials', 'employees'],
      refresh: { companies: '0d', financials: '0d', employees: '90d' },
    },
  ],
};

describe('a rebuild with partitions', () => {
  let system: System;
  let dataDir: string;
  let whole: Record<string, string>;

  /** With the data in a bucket, another machine. With the data in a folder, the same one. */
  const addMachine = (): Project =>
    system.project.data.startsWith('s3://')
      ? system.addProject({ ...CONFIG, data: system.project.data })
      : system.project;
  const night = async (date: string): Promise<void> => {
    const env = { TIDEMARK_NOW: `${date}T03:00:00Z` };
    await system.startWorker(env);
    expect((await system.tidemarkWith(env, 'snapshot')).code).toBe(0);
    await system.worker.stop();
    await system.api.advanceDay();
  };
  const replay = async (): Promise<Record<string, string>> => {
    expect((await system.tidemark('replay')).code).toBe(0);
    return hashTables(dataDir);
  };

  beforeAll(async () => {
    system = await startSystem({
      market: { companies: COMPANIES, tenders: 12, seed: 5, date: '2026-11-18' },
      config: CONFIG,
      worker: null,
    });
    dataDir = system.project.dataDir;
    for (const date of ['2026-11-18', '2026-11-19']) await night(date);
    whole = await replay();
  });

  afterAll(() => system?.stop());

  it('gives the tables of a replay although one of two workers is killed while it builds', async () => {
    expect(Object.keys(whole).length).toBeGreaterThan(25);
    rmSync(path.join(dataDir, 'warehouse'), { recursive: true });
    const all = await system.startWorker();
    const [lost, other] = await Promise.all([1, 2].map(() => addMachine().startWorker({}, 'partitions')));
    try {
      expect((await system.tidemark('doctor')).stdout).toContain('2 polling tidemark-partitions');
      const handle = await system.start('rebuildWarehouse', 'rebuild/partitions', { partitions: 6 });
      const killed = await killWhileBuilding(handle, lost!);
      const result = (await handle.result()) as RebuildResult;
      expect(result).toMatchObject({ into: '', faults: [] });
      const attempts = await attemptsOf(handle);
      expect(attempts.size).toBe(6);
      expect([...attempts].filter(([, attempt]) => attempt > 1)).toEqual([[killed, 2]]);
      expect(await hashTables(dataDir)).toEqual(whole);
      const left = path.join(dataDir, 'partitions');
      expect(existsSync(left) ? readdirSync(left) : []).toEqual([]);
    } finally {
      await Promise.all([all, other!].map((worker) => worker.stop()));
    }
  });

  it('is started and followed by `tidemark replay --partitions`', async () => {
    const workers = [await system.startWorker(), await addMachine().startWorker({}, 'partitions')];
    try {
      const { code, stdout, stderr } = await system.tidemark('replay', '--partitions', '2');
      expect(`${code} ${stdout}`).toMatch(/^0 ✔ replayed: [\d,]+ rows of \d+ parts, 0 rejected/);
      expect(stderr).not.toContain('No worker waits for partitions');
      const { id } = JSON.parse(readFileSync(path.join(dataDir, 'folder.json'), 'utf8')) as { id: string };
      const rebuild = system.temporal.client.workflow.getHandle(`rebuild/${id}`);
      expect((await rebuild.query<Progress>('progress')).steps).toEqual([
        { name: 'partitions', done: 2, total: 2, state: 'done' },
      ]);
      expect(await hashTables(dataDir)).toEqual(whole);
    } finally {
      await Promise.all(workers.map((worker) => worker.stop()));
    }
  });

  it('is the base of a later night', async () => {
    await night('2026-11-20');
    const later = await hashTables(dataDir);
    expect(later['core.companies']).not.toBe(whole['core.companies']);
    expect(await replay()).toEqual(later);
  });
});

/** Kills a worker while it builds a partition. Returns the id of the activity. */
async function killWhileBuilding(handle: WorkflowHandle, worker: RunningProcess): Promise<string> {
  const { child } = worker;
  let id: string | undefined;
  await waitUntil('the worker builds a partition', async () => {
    child.kill('SIGSTOP');
    const { raw } = await handle.describe();
    id =
      raw.pendingActivities?.find(
        (one) =>
          one.activityType?.name === 'buildPartition' &&
          one.lastWorkerIdentity?.startsWith(`${child.pid}@`) &&
          one.attempt === 1,
      )?.activityId ?? undefined;
    if (id === undefined) {
      child.kill('SIGCONT');
      await sleep(200);
    }
    return id !== undefined;
  });
  await worker.stop('SIGKILL');
  return id!;
}

/** Returns the number of attempts of each partition, by the id of its activity. */
async function attemptsOf(handle: WorkflowHandle): Promise<Map<string, number>> {
  const { events } = await handle.fetchHistory();
  const ids = new Map<string, string>();
  const attempts = new Map<string, number>();
  for (const event of events ?? []) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name === 'buildPartition') ids.set(String(event.eventId), scheduled.activityId ?? '');
    const started = event.activityTaskStartedEventAttributes;
    const id = ids.get(String(started?.scheduledEventId));
    if (id !== undefined) attempts.set(id, Number(started?.attempt));
  }
  return attempts;
}
