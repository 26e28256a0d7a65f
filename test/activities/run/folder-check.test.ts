import { rmSync } from 'node:fs';
import path from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Activities } from '../../../activities/contract.js';
import { checkFolder } from '../../../activities/run/folder-check.js';
import type { DataFolder, RunContext } from '../../../schemas/pipeline/run.js';
import { loadConfig, type Config } from '../../../src/config/config.js';
import { openDataFolder } from '../../../src/store/folder-identity.js';
import { createLog } from '../../../src/config/log.js';
import { landRows } from '../../../src/landing/index.js';
import { makeProject, type Project } from '../../helpers/project.js';
import { Data } from '../../../src/store/data.js';

const QUIET = new DefaultLogger('ERROR');
const MINUTE = 60_000;

let project: Project;
let config: Config;
let folder: DataFolder;
let ctx: RunContext;
let warned: unknown[];

beforeEach(async () => {
  project = makeProject({ api: { url: 'http://127.0.0.1:9', key: 'k' }, temporal: 'none' });
  config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  folder = await openDataFolder(config.dataDir);
  ctx = { run: 'run-1', date: '2026-11-20', market: 'demo', workflowId: 'w', folder } as RunContext;
  warned = [];
});
afterEach(() => project.remove());

/** Runs the check as a worker does. `waited` is the time since the activity was first scheduled. */
async function check(
  activity: keyof Activities,
  input: unknown,
  { waited = 0, refused = 0, workflowId = 'w' } = {},
): Promise<void> {
  const worker = new MockActivityEnvironment(
    {
      scheduledTimestampMs: Date.now() - waited,
      workflowExecution: { workflowId, runId: 'r' },
      heartbeatDetails: { refused },
    },
    { logger: QUIET },
  );
  const log = Object.assign(createLog('test', 'silent'), { warn: (...words: unknown[]) => warned.push(words) });
  await worker.run(async () => checkFolder({ config, data: new Data(config.dataDir), log, folder }, activity, input));
}

async function landRecord(chunk: 'open' | 'close'): Promise<void> {
  const { run, date } = ctx;
  const row = { entity_id: run, row_kind: 'run', status: 200, fetched_at: '2026-11-20T02:00:00.000Z', body: '{}' };
  const target = { data: new Data(config.dataDir), stream: 'runs', run, date, market: null, chunk } as const;
  await landRows(target, [{ ...row, request_key: chunk }]);
}

const elsewhere = (more: Partial<DataFolder> = {}): RunContext => ({
  ...ctx,
  folder: { id: 'bbbbbbbb-0000-4000-8000-000000000000', path: '/other/data', host: 'far', ...more },
});

describe('an activity for this data folder', () => {
  it('accepts a run once the landing zone holds its opening record', async () => {
    await expect(check('readQuota', ctx)).rejects.toMatchObject({
      type: 'DataFolderChanged',
      message: expect.stringMatching(/lacks the record "open" of run run-1 \(stream runs, date 2026-11-20\)/) as string,
    });
    await landRecord('open');
    await expect(check('readQuota', ctx)).resolves.toBeUndefined();
    await expect(check('planDue', { ctx, stream: 'companies', chunkSize: 1 })).resolves.toBeUndefined();
  });

  it.each(['loadLanding', 'buildModels', 'publishWarehouse'] as const)(
    'requires the closing record for %s',
    async (activity) => {
      await landRecord('open');
      await expect(check(activity, ctx)).rejects.toThrow(/lacks the record "close" of run/);
      await landRecord('close');
      await check(activity, ctx);
    },
  );

  it.each(['failed', 'cancelled'] as const)('files a run as %s even if its records are lost', async (outcome) => {
    await check('closeRun', { ctx, outcome });
    await expect(check('closeRun', { ctx, outcome: 'complete' })).rejects.toThrow(/lacks the record "open" of run/);
  });

  it('enters the quota gate without checking run records', async () => {
    await expect(check('enterQuotaGate', { waiter: { ctx } })).resolves.toBeUndefined();
  });

  it('starts runs and rebuilds, which have no run record yet', async () => {
    await expect(check('openRun', { run: 'run-2' })).resolves.toBeUndefined();
    await expect(check('rebuildWarehouse', { ctx: elsewhere() })).resolves.toBeUndefined();
  });

  it('fails when the identity file of the data folder is gone', async () => {
    rmSync(path.join(config.dataDir, 'folder.json'));
    await expect(check('openRun', { run: 'run-2' })).rejects.toThrow(/identity \(folder\.json\) is gone/);
  });

  it('skips the check in a worker without a data folder', async () => {
    rmSync(path.join(config.dataDir, 'folder.json'));
    await landRecord('open');
    const worker = new MockActivityEnvironment({}, { logger: QUIET });
    const log = createLog('test', 'silent');
    const checked = worker.run(() =>
      Promise.resolve(checkFolder({ config, data: new Data(config.dataDir), log }, 'readQuota', elsewhere())),
    );
    await expect(checked).resolves.toBeUndefined();
  });
});

describe('an activity for another data folder', () => {
  it('refuses work of another data folder and waits for its worker', async () => {
    await expect(check('readQuota', elsewhere())).rejects.toMatchObject({
      type: 'OtherDataFolder',
      nonRetryable: false,
      nextRetryDelay: '200 milliseconds',
      details: [{ run: elsewhere().folder, worker: folder }],
      message: expect.stringMatching(/belongs to .*\/other\/data on host far .*bbbbbbbb.*waits for a worker/) as string,
    });
  });

  it('logs refused work of another data folder once, not at each attempt', async () => {
    await expect(check('readQuota', elsewhere())).rejects.toThrow('belongs to the data folder');
    expect(warned).toEqual([[{ run: 'run-1', activity: 'readQuota' }, expect.stringContaining('/other/data')]]);
    await expect(check('readQuota', elsewhere(), { refused: 1 })).rejects.toThrow('belongs to the data folder');
    expect(warned).toHaveLength(1);
  });

  it.each([
    [9, '200 milliseconds'],
    [10, '15 seconds'],
  ])('after %i refusals retries in %s', async (refused, nextRetryDelay) => {
    await expect(check('readQuota', elsewhere(), { refused })).rejects.toMatchObject({ nextRetryDelay });
  });

  it.each([
    ['readQuota', () => elsewhere(), 24 * 60, 'w'],
    ['closeRun', () => ({ ctx: elsewhere(), outcome: 'complete' }), 24 * 60, 'w'],
    ['closeRun', () => ({ ctx: elsewhere(), outcome: 'failed' }), 5, 'w'],
    ['closeRun', () => ({ ctx: elsewhere(), outcome: 'cancelled' }), 5, 'w'],
    ['readQuota', () => elsewhere(), 1, 'the-gate'],
  ] as const)('%s gives up after its time limit', async (activity, input, minutes, workflowId) => {
    await expect(check(activity, input(), { waited: (minutes - 0.5) * MINUTE, workflowId })).rejects.toMatchObject({
      nonRetryable: false,
    });
    await expect(check(activity, input(), { waited: (minutes + 0.5) * MINUTE, workflowId })).rejects.toMatchObject({
      nonRetryable: true,
      message: expect.stringContaining('No worker with the data folder of the run started in time.') as string,
    });
  });

  it("fails at once if the run's folder was at this path before", async () => {
    const { path: where, host } = folder;
    await expect(check('readQuota', elsewhere({ path: where, host }))).rejects.toMatchObject({
      type: 'DataFolderChanged',
      message: expect.stringMatching(/its id was bbbbbbbb-.* when the run began/) as string,
    });
    await expect(check('readQuota', elsewhere({ path: where }))).rejects.toMatchObject({ type: 'OtherDataFolder' });
    await expect(check('readQuota', elsewhere({ host }))).rejects.toMatchObject({ type: 'OtherDataFolder' });
  });

  it('refuses a quota gate entry that belongs to another data folder', async () => {
    await expect(check('enterQuotaGate', { waiter: { ctx: elsewhere() } })).rejects.toMatchObject({
      type: 'OtherDataFolder',
    });
  });
});
