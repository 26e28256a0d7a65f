import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { chunkFile, dueDir, duePlanFile, requestsFile, warehouseFile } from '../../../src/store/data-folder.js';
import { pullRequests, readRequests, RequestLog } from '../../../src/landing/request-log.js';
import { takeLease } from '../../../src/store/lease.js';
import { assertWriter, becomeWriter } from '../../../src/warehouse/duckdb/writer.js';
import {
  giveCheckpoint,
  isCheckpointDue,
  takeCheckpoint,
  WRITER_LEASE,
} from '../../../src/warehouse/duckdb/checkpoint.js';
import { findPlan, publishPlan, takeChunkFile } from '../../../src/warehouse/due/due-plan.js';
import { Data, type SharedData } from '../../../src/store/data.js';
import { keysBelow, makeMachines } from './machines.js';

const wrong = (message: string): void => expect.unreachable(message);
const write = (file: string, text: string): string => {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

/** Writes and publishes a due plan of two chunks, as src/warehouse/due/plan-due.ts does. */
async function plan(copy: SharedData, by: string): Promise<void> {
  const folder = dueDir(copy.dataDir, 'run-1', 'companies');
  for (const chunk of [0, 1])
    write(chunkFile(folder, chunk), JSON.stringify([{ id: `${by}-${chunk}`, reason: 'new' }]));
  await publishPlan(copy, folder, { known: 2, due: 2, chunks: 2, reasons: { new: 2 } });
}

/** Makes a machine the writer for a moment, to give a checkpoint. */
async function giveNight(copy: SharedData): Promise<void> {
  const { lease } = await becomeWriter(copy, { what: 'a test' });
  write(warehouseFile(copy.dataDir), 'night 1');
  await giveCheckpoint(copy, lease);
  await lease.release();
}

it('asks for a checkpoint once a week', async () => {
  const [a] = (await makeMachines(1)) as [SharedData];
  const isDue = (days: number): Promise<boolean> => isCheckpointDue(a.storage, Date.now() + days * 86_400_000);
  expect(await isDue(0)).toBe(true);
  await giveNight(a);
  expect([await isDue(0), await isDue(6.9), await isDue(7.1), await isDue(-1)]).toEqual([false, false, true, true]);
});

it('uses one due plan on all machines, with the chunks of that plan', async () => {
  const machines = (await makeMachines(3)) as [SharedData, SharedData, SharedData];
  const [a, b, c] = machines;
  await plan(a, 'a');
  await expect(plan(b, 'b')).rejects.toMatchObject({ retryable: true });
  for (const copy of [a, b, c]) {
    const folder = dueDir(copy.dataDir, 'run-1', 'companies');
    expect(await findPlan(copy, folder)).toMatchObject({ due: 2, chunks: 2 });
    for (const chunk of [0, 1])
      expect(readFileSync(await takeChunkFile(copy, folder, chunk), 'utf8')).toContain(`"a-${chunk}"`);
  }
});

it('removes a plan that no machine has given', async () => {
  const [a] = (await makeMachines(1)) as [SharedData];
  const folder = dueDir(a.dataDir, 'run-1', 'companies');
  write(duePlanFile(folder), '{}');
  expect(await findPlan(a, folder)).toBeUndefined();
  expect(() => readFileSync(duePlanFile(folder))).toThrow('ENOENT');
});

it('adds up the requests of all machines once', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const attempt = { endpoint: 'GET /v2/metrics', error: null, retry: false, bytes: 10, ms: 5 };
  for (const [copy, count] of [
    [a, 2],
    [b, 3],
  ] as const) {
    const log = new RequestLog(copy, 'run-1', 'quota');
    for (let n = 0; n < count; n++) log.add(attempt as Parameters<RequestLog['add']>[0]);
    log.close();
    await log.give();
  }
  for (const copy of [a, b, a]) {
    await pullRequests(copy, 'run-1');
    expect(readRequests(copy.dataDir, 'run-1')).toMatchObject([{ endpoint: 'GET /v2/metrics', requests: 5 }]);
  }
  rmSync(requestsFile(a.dataDir, 'run-1', 'quota'));
});

it('takes a checkpoint once, and the newest one after another machine wrote', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const lease = await takeLease(a.storage, WRITER_LEASE, { what: 'a test' });
  const here = warehouseFile(a.dataDir);
  const there = warehouseFile(b.dataDir);
  await takeCheckpoint(b, wrong);
  write(here, 'night 1');
  await giveCheckpoint(a, lease);
  await takeCheckpoint(b, wrong);
  expect(readFileSync(there, 'utf8')).toBe('night 1');
  // What a machine has added to the file since stays there, until another machine gives a checkpoint.
  write(there, 'night 1 and more');
  await takeCheckpoint(b, wrong);
  expect(readFileSync(there, 'utf8')).toBe('night 1 and more');
  write(here, 'night 2');
  await giveCheckpoint(a, lease);
  await takeCheckpoint(b, wrong);
  expect(readFileSync(there, 'utf8')).toBe('night 2');
  expect((await keysBelow(a, 'warehouse/')).filter((key) => key.endsWith('.duckdb'))).toHaveLength(1);
  await lease.release();
});

it('begins without a warehouse if the checkpoint is lost', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  await giveNight(a);
  // An older file may hold people that another machine has forgotten since.
  write(warehouseFile(b.dataDir), 'an older night');
  for (const key of await keysBelow(a, 'warehouse/')) if (key.endsWith('.duckdb')) await a.storage.remove(key);
  const lost: string[] = [];
  const next = await becomeWriter(b, { what: 'a test', onLost: (message) => lost.push(message) });
  expect(lost).toEqual([expect.stringMatching(/does not exist\. This checkpoint of the warehouse is lost/)]);
  expect(existsSync(warehouseFile(b.dataDir))).toBe(false);
  write(warehouseFile(b.dataDir), 'loaded again');
  await giveCheckpoint(b, next.lease);
  await takeCheckpoint(a, wrong);
  expect(readFileSync(warehouseFile(a.dataDir), 'utf8')).toBe('loaded again');
  await next.lease.release();
});

it('begins without a warehouse if the pointer to the checkpoint is damaged', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  await giveNight(a);
  const pointer = 'warehouse/current.json';
  await a.storage.replace(pointer, Buffer.from('{"token": 1, "ke'), (await a.storage.read(pointer))!.version);
  const lost: string[] = [];
  const next = await becomeWriter(b, { what: 'a test', onLost: (message) => lost.push(message) });
  expect(lost).toEqual([expect.stringContaining('warehouse/current.json is damaged. This checkpoint')]);
  write(warehouseFile(b.dataDir), 'loaded again');
  // A later step of this machine keeps what it has loaded, also before the first publication.
  await takeCheckpoint(b, wrong);
  expect(readFileSync(warehouseFile(b.dataDir), 'utf8')).toBe('loaded again');
  // A machine with an older file must not continue with it, although no checkpoint was given since.
  await takeCheckpoint(a, (message) => lost.push(message));
  expect([existsSync(warehouseFile(a.dataDir)), lost.length]).toEqual([false, 2]);
  await giveCheckpoint(b, next.lease);
  await takeCheckpoint(a, wrong);
  expect(readFileSync(warehouseFile(a.dataDir), 'utf8')).toBe('loaded again');
  expect((await keysBelow(a, 'warehouse/')).filter((key) => key.endsWith('.duckdb'))).toHaveLength(1);
  await next.lease.release();
});

it('does not continue with an old warehouse if the pointer to the checkpoint is missing', async () => {
  const [a] = (await makeMachines(1)) as [SharedData];
  const { lease } = await becomeWriter(a, { what: 'a test' });
  write(warehouseFile(a.dataDir), 'before the first checkpoint');
  await takeCheckpoint(a, wrong);
  await giveCheckpoint(a, lease);
  await a.storage.remove('warehouse/current.json');
  const lost: string[] = [];
  await takeCheckpoint(a, (message) => lost.push(message));
  expect(lost).toEqual([expect.stringContaining('warehouse/current.json is missing.')]);
  expect(existsSync(warehouseFile(a.dataDir))).toBe(false);
  write(warehouseFile(a.dataDir), 'loaded again');
  await takeCheckpoint(a, wrong);
  await giveCheckpoint(a, lease);
  await takeCheckpoint(a, wrong);
  expect(readFileSync(warehouseFile(a.dataDir), 'utf8')).toBe('loaded again');
  await lease.release();
});

it('takes no checkpoint of a writer that lost the lease', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const options = { what: 'a test', leaseMs: 300, beatMs: 50, pollMs: 20, place: '' };
  const frozen = await takeLease(a.storage, WRITER_LEASE, { ...options, beatMs: 3_600_000 });
  const next = await takeLease(b.storage, WRITER_LEASE, options);
  expect(next.token).toBeGreaterThan(frozen.token);
  write(warehouseFile(a.dataDir), 'of the frozen writer');
  write(warehouseFile(b.dataDir), 'of the next writer');
  await expect(giveCheckpoint(a, frozen)).rejects.toThrow('another process took the lease');
  await giveCheckpoint(b, next);
  await expect(giveCheckpoint(a, frozen)).rejects.toThrow('another process took the lease');
  await takeCheckpoint(a, wrong);
  expect(readFileSync(warehouseFile(a.dataDir), 'utf8')).toBe('of the next writer');
  await next.release();
});

it('gives the next writer a higher token than any checkpoint has, after the file of the lease was removed', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  for (let night = 0; night < 3; night++) await giveNight(a);
  const keys = await keysBelow(a, 'warehouse/');
  const tokens = keys.flatMap((key) => /^warehouse\/.*\.(\d+)\//.exec(key)?.[1] ?? []).map(Number);
  expect(Math.max(...tokens)).toBe(3);
  for (const removed of [[WRITER_LEASE], [WRITER_LEASE, 'warehouse/current.json']]) {
    for (const key of removed) await a.storage.remove(key);
    const { lease } = await becomeWriter(b, { what: 'a test' });
    expect(lease.token).toBeGreaterThan(Math.max(...tokens));
    await lease.release();
  }
  await giveNight(b);
  await takeCheckpoint(a, wrong);
  expect(readFileSync(warehouseFile(a.dataDir), 'utf8')).toBe('night 1');
});

it('lets only the writer of the warehouse publish', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  await expect(assertWriter(a)).rejects.toThrow('another process took the lease');
  const { lease } = await becomeWriter(a, { what: 'a test' });
  await assertWriter(a);
  await expect(assertWriter(b)).rejects.toThrow('another process took the lease');
  await lease.release();
  await expect(assertWriter(a)).rejects.toThrow('another process took the lease');
  // A folder that holds the data itself has its lock.
  await assertWriter(new Data(path.join(a.dataDir, 'another')));
});
