import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { Client } from '@temporalio/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CRAWL_QUEUE } from '../../../workflows/queues.js';
import { openDataFolder, readDataFolder } from '../../../src/store/folder-identity.js';
import { connectForFolder, type Purpose } from '../../../src/temporal/connect-folder.js';
import { startTemporal } from '../../helpers/temporal.js';

let env: TestWorkflowEnvironment;
let root: string;
let client: Client;

beforeAll(async () => {
  env = await startTemporal();
  root = mkdtempSync(path.join(tmpdir(), 'tidemark-owner-'));
});
afterAll(async () => {
  await env.teardown();
  rmSync(root, { recursive: true, force: true });
});

beforeEach(async () => {
  const namespace = `owner-${randomUUID()}`;
  await env.client.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
  });
  client = new Client({ connection: env.connection, namespace });
  process.env['TEMPORAL_ADDRESS'] = env.address;
  process.env['TEMPORAL_NAMESPACE'] = namespace;
});

const folderAt = (): string => path.join(root, randomUUID());

/** A data folder that a worker has used. */
async function usedFolder(): Promise<string> {
  const dataDir = folderAt();
  await openDataFolder(dataDir);
  return dataDir;
}

async function connect(dataDir: string, purpose: Purpose): Promise<string> {
  try {
    const temporal = await connectForFolder(dataDir, purpose);
    await temporal.close();
    return 'connected';
  } catch (error) {
    const { type, message, todo } = error as { type: string; message: string; todo: string };
    return `${type}: ${message} ${todo}`;
  }
}

describe('a namespace of a data folder', () => {
  it('gives the folder an identity and keeps every other folder out', async () => {
    const [first, fresh, second] = [folderAt(), folderAt(), await usedFolder()];
    expect(await connect(first, 'prepare')).toBe('connected');
    for (const purpose of ['read', 'act'] as const) expect(await connect(first, purpose)).toBe('connected');
    await startRun('openRun');
    for (const other of [fresh, second])
      for (const purpose of ['read', 'act', 'prepare'] as const) {
        const said = await connect(other, purpose);
        expect(said).toMatch(/^OtherDataFolder: Temporal at 127\.0\.0\.1:\d+ \(TEMPORAL_ADDRESS\), namespace owner-/);
        expect(said).toContain(`belongs to the data folder ${first} on host`);
        expect(said).toContain(`This command uses ${other}`);
        expect(said).toMatch(/TEMPORAL_NAMESPACE=….*TIDEMARK_DATA=/);
      }
    expect(readDataFolder(fresh)).toBeNull();
  });

  it('belongs to exactly one of several folders that claim it at the same time', async () => {
    await startRun('openRun');
    const folders = await Promise.all(Array.from({ length: 5 }, () => usedFolder()));
    const said = await Promise.all(folders.map((folder) => connect(folder, 'prepare')));
    expect(said.filter((one) => one === 'connected')).toHaveLength(1);
    expect(said.filter((one) => one.startsWith('OtherDataFolder'))).toHaveLength(4);
  });

  it.each([
    ['an open run', async () => startRun('run'), /the open run run is still there/],
    ['a schedule', async () => createSchedule(), /the schedule tidemark\/tenders is still there/],
  ])('stays with its folder while %s is left', async (_what, leave, said) => {
    const [first, second] = [folderAt(), await usedFolder()];
    await connect(first, 'prepare');
    await leave();
    expect(await connect(second, 'prepare')).toMatch(said);
    expect(await connect(first, 'act')).toBe('connected');
  });

  it('goes to another folder when nothing of the first is left', async () => {
    const [first, second] = [folderAt(), await usedFolder()];
    await connect(first, 'prepare');
    expect(await connect(second, 'prepare')).toBe('connected');
    expect(await connect(first, 'act')).toMatch(/^OtherDataFolder/);
  });

  it('stays with a folder that was moved, and refuses a copy', async () => {
    const [first, moved, copy] = [folderAt(), folderAt(), folderAt()];
    await connect(first, 'prepare');
    renameSync(first, moved);
    expect(await connect(moved, 'prepare')).toBe('connected');
    cpSync(moved, copy, { recursive: true });
    for (const purpose of ['read', 'act', 'prepare'] as const)
      expect(await connect(copy, purpose)).toMatch(/This folder is a copy\. To use both, delete folder\.json/);
    expect(await connect(moved, 'act')).toBe('connected');
  });

  it('lets a copy work beside its original, or instead of it, as the error advises', async () => {
    const [first, copy, away] = [folderAt(), folderAt(), folderAt()];
    const [namespace, own] = [process.env['TEMPORAL_NAMESPACE'], `owner-${randomUUID()}`];
    await connect(first, 'prepare');
    cpSync(first, copy, { recursive: true });
    const advice =
      /delete folder\.json in the copy .* its own namespace\. If the original is no longer used, move it away/;
    expect(await connect(copy, 'act')).toMatch(advice);
    renameSync(first, away);
    expect(await connect(copy, 'act')).toBe('connected');

    renameSync(away, first);
    rmSync(path.join(copy, 'folder.json'));
    await env.client.workflowService.registerNamespace({
      namespace: own,
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    process.env['TEMPORAL_NAMESPACE'] = own;
    expect(await connect(copy, 'prepare')).toBe('connected');
    process.env['TEMPORAL_NAMESPACE'] = namespace;
    expect(await connect(first, 'act')).toBe('connected');
    expect(readDataFolder(copy)?.id).not.toBe(readDataFolder(first)?.id);
  });

  it('goes to the folder that replaced its folder at the same place', async () => {
    const folder = folderAt();
    await connect(folder, 'prepare');
    await startRun('run');
    rmSync(folder, { recursive: true });
    expect(await connect(folder, 'prepare')).toBe('connected');
  });

  it('is read without an identity, but no command acts', async () => {
    const fresh = folderAt();
    expect(await connect(fresh, 'read')).toBe('connected');
    expect(await connect(fresh, 'act')).toMatch(
      /No worker has used the data folder .*`tidemark up` or `tidemark worker`/,
    );
  });
});

async function startRun(workflowId: string): Promise<void> {
  await client.workflow.start('tenderSnapshot', { taskQueue: CRAWL_QUEUE, workflowId, args: [{}] });
  await until(async () => (await client.workflow.count(`WorkflowId = '${workflowId}'`)).count > 0);
}

async function createSchedule(): Promise<void> {
  const action = { type: 'startWorkflow', workflowType: 'tenderSnapshot', taskQueue: CRAWL_QUEUE, args: [{}] } as const;
  await client.schedule.create({ scheduleId: 'tidemark/tenders', spec: { cronExpressions: ['0 5 * * *'] }, action });
  await until(async () => {
    for await (const _ of client.schedule.list()) return true;
    return false;
  });
}

/** Waits until the server's list, which is late, shows a change. */
async function until(isTrue: () => Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 50));
}

it('does not use the dev server that a copied folder recorded', async () => {
  const { readDevServer, writeDevServer } = await import('../../../src/temporal/dev-server-state.js');
  const { findPlace } = await import('../../../src/store/lock/holder.mjs');
  const [original, copy] = [await usedFolder(), folderAt()];
  cpSync(original, copy, { recursive: true });
  const { spawn } = await import('node:child_process');
  const server = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', 'start-dev'], { stdio: 'ignore' });
  try {
    const { mkdirSync } = await import('node:fs');
    mkdirSync(path.join(original, 'temporal'));
    const state = { pid: server.pid ?? 0, place: findPlace(), address: '127.0.0.1:1', ui: 'http://127.0.0.1:2' };
    await writeDevServer(original, state);
    cpSync(path.join(original, 'temporal'), path.join(copy, 'temporal'), { recursive: true });
    expect(readDevServer(original)?.address).toBe('127.0.0.1:1');
    expect(readDevServer(copy)).toBeNull();
    writeFileSync(path.join(copy, 'temporal', 'server.json'), '{');
    expect(readDevServer(copy)).toBeNull();
  } finally {
    server.kill('SIGKILL');
  }
});
