import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCrawlActivities } from '../../activities/crawl.js';
import { createWarehouseActivities } from '../../activities/warehouse.js';
import type { CrawlActivities, WarehouseActivities } from '../../activities/contract.js';
import type { DiscoverResult, EnterQuotaGateInput } from '../../schemas/pipeline/activities.js';
import type { RunContext } from '../../schemas/pipeline/run.js';
import { createApiClient, type ApiClient } from '../../src/api/index.js';
import { createClock } from '../../src/base/time/clock.js';
import { loadConfig } from '../../src/config/config.js';
import { openDataFolder, readDataFolder } from '../../src/store/folder-identity.js';
import { createLog } from '../../src/config/log.js';
import { StampClock } from '../../src/base/time/stamp-clock.js';
import { hasRunRecord } from '../../src/crawl/records/folder-changed.js';
import { landRows } from '../../src/landing/index.js';
import { makeProject, type Project } from '../helpers/project.js';
import { startStub, type StubApi } from '../stub/index.js';
import { ALONE, UNCHECKED } from '../helpers/activity-inputs.js';
import { Data } from '../../src/store/data.js';
import { writeEmptyWarehouse } from '../../src/warehouse/models/empty-warehouse.js';

type All = CrawlActivities & WarehouseActivities;

const QUIET = new DefaultLogger('ERROR');
const NOW = '2026-11-20T02:00:00Z';
const MARKET = { workflowType: 'marketSnapshot', workflowId: 'snapshot/demo/2026-11-20', input: {} } as const;

let api: StubApi;
let project: Project;
let client: ApiClient;
let all: All;
let beats: unknown[];

beforeEach(async () => {
  api = await startStub({ companies: 25 });
  project = makeProject({ api, temporal: 'none', config: { publish: { keep: 1 } } });
  client = createApiClient({ baseUrl: api.url, apiKey: api.key });
  all = await makeActivities();
  beats = [];
});

afterEach(async () => {
  await client.close();
  await api.close();
  project.remove();
});

async function makeActivities(): Promise<All> {
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const clock = createClock({ TIDEMARK_NOW: NOW });
  const folder = await openDataFolder(config.dataDir);
  const sizes = { chunkSize: 10 };
  const deps = {
    config,
    data: new Data(config.dataDir),
    client,
    clock,
    stamps: new StampClock(clock),
    log: createLog('test'),
    folder,
    sizes,
  };
  return {
    ...createCrawlActivities(deps, { quotaGate: 'the-gate', stateAttributes: ['TidemarkPhase'] }),
    ...createWarehouseActivities(deps),
  };
}

/** Runs an activity as a worker does. */
async function run<Name extends keyof All>(
  name: Name,
  ...args: Parameters<All[Name]>
): Promise<Awaited<ReturnType<All[Name]>>> {
  const worker = new MockActivityEnvironment({}, { logger: QUIET });
  worker.on('heartbeat', (details) => beats.push(details));
  const result = await worker.run(all[name] as (...given: unknown[]) => Promise<unknown>, ...args);
  return result as Awaited<ReturnType<All[Name]>>;
}

async function discover(ctx: RunContext): Promise<DiscoverResult> {
  for (let round = 0; ; round++) {
    const found = await run('discoverMarket', { ctx, budget: 50, concurrency: null, round });
    if (found.done) return found;
  }
}

/** Runs a whole market run, chunk by chunk. */
async function crawlNight(id: string): Promise<RunContext> {
  const ctx = await run('openRun', { ...MARKET, run: id });
  await run('readQuota', ctx, true);
  await discover(ctx);
  const due = await run('planDue', { ctx, stream: 'companies', chunkSize: 10 });
  for (let chunk = 0; chunk < due.chunks; chunk++)
    await run('crawlChunk', { ...ALONE, ctx, stream: 'companies', chunk, concurrency: null });
  await run('closeRun', { ...UNCHECKED, ctx, outcome: 'complete', note: null, heldBack: null });
  return ctx;
}

describe('the activities of a market run', () => {
  it('brings a market from the API to the published warehouse', async () => {
    const ctx = await run('openRun', { ...MARKET, run: 'run-1' });
    const folder = readDataFolder(project.dataDir);
    expect(ctx).toMatchObject({ run: 'run-1', date: '2026-11-20', market: 'demo', chunkSize: 10, folder, note: null });
    expect(ctx.stampsAfter).toBeUndefined();
    expect(await hasRunRecord(new Data(project.dataDir), ctx, 'open')).toBe(true);

    expect(await run('readQuota', ctx, true)).toMatchObject({ open: true });
    const found = await discover(ctx);
    expect(found).toMatchObject({ done: true, distinctCompanies: 25 });
    expect(beats.length).toBeGreaterThan(0);

    const due = await run('planDue', { ctx, stream: 'companies', chunkSize: 10 });
    expect(due).toMatchObject({
      stream: 'companies',
      chunkSize: 10,
      known: 25,
      due: 25,
      chunks: 3,
      reasons: { new: 25 },
    });
    expect(due.idle).toBe(false);
    const fetched = await Promise.all(
      [0, 1, 2].map((chunk) => run('crawlChunk', { ...ALONE, ctx, stream: 'companies', chunk, concurrency: null })),
    );
    expect(fetched.map(({ rows }) => rows)).toEqual([10, 10, 5]);

    expect(await run('closeRun', { ...UNCHECKED, ctx, outcome: 'complete', note: null, heldBack: null })).toMatchObject(
      {
        requests: expect.any(Number) as number,
      },
    );
    expect(await hasRunRecord(new Data(project.dataDir), ctx, 'close')).toBe(true);

    const loaded = await run('loadLanding', ctx);
    expect(loaded.parts).toBeGreaterThan(3);
    expect(loaded.rejects).toBe(0);
    const built = await run('buildModels', ctx);
    expect(built).toMatchObject({ failedAudits: [], unloaded: null });
    expect(built.models).toBeGreaterThan(5);
    expect(await run('publishWarehouse', ctx)).toMatchObject({ tables: expect.any(Number) as number });
    expect(await project.query('SELECT count(*) AS n FROM core.companies')).toEqual([{ n: '25' }]);
  });

  it('loads beside the crawl what was landed, and the rest after it', async () => {
    const ctx = await run('openRun', { ...MARKET, run: 'run-1' });
    await discover(ctx);
    await run('planDue', { ctx, stream: 'companies', chunkSize: 10 });
    const fetch = (chunk: number) =>
      run('crawlChunk', { ...ALONE, ctx, stream: 'companies', chunk, concurrency: null });
    await fetch(0);
    expect((await run('loadEarly', ctx)).rows).toBeGreaterThanOrEqual(10);
    expect((await run('loadEarly', ctx)).rows).toBe(0);
    await fetch(1);
    await fetch(2);
    await run('closeRun', { ...UNCHECKED, ctx, outcome: 'complete', note: null, heldBack: null });
    expect((await run('loadLanding', ctx)).rows).toBeGreaterThanOrEqual(15);
    await run('buildModels', ctx);
    await run('publishWarehouse', ctx);
    // Each of the three chunks has companies with a record.
    expect(
      await project.query('SELECT count(*) AS n, count(*) FILTER (has_details) > 20 AS all FROM core.companies'),
    ).toEqual([{ n: '25', all: true }]);
  });

  it('counts only the rejects of its own run', async () => {
    const place = {
      data: new Data(project.dataDir),
      stream: 'companies',
      date: '2026-11-20',
      market: 'demo',
    } as const;
    const row = {
      request_key: 'GET /v2/companies/1',
      entity_id: '1',
      row_kind: 'record',
      status: 200,
      fetched_at: NOW,
      body: '{"id": "none"}',
    };
    await landRows({ ...place, run: 'another', chunk: 'c-0' }, [row]);
    const ctx = await crawlNight('run-1');
    expect((await run('loadLanding', ctx)).rejects).toBe(0);
    const other = await run('openRun', { ...MARKET, run: 'another' });
    await run('closeRun', { ...UNCHECKED, ctx: other, outcome: 'partial', note: null, heldBack: null });
    expect((await run('loadLanding', other)).rejects).toBeGreaterThan(0);
  });

  it('plans nothing for retryRejects when nothing was rejected', async () => {
    // As an installed Tidemark opens a new warehouse.
    await writeEmptyWarehouse(project.dataDir);
    await crawlNight('run-1');
    const retry = { workflowType: 'retryRejects', workflowId: 'retry', run: 'run-2', input: {} } as const;
    const ctx = await run('openRun', retry);
    expect(await run('planDue', { ctx, stream: 'companies', chunkSize: 10 })).toMatchObject({ due: 0, idle: true });
  });
});

describe('openRun', () => {
  it('notes that the configuration changed after the worker started', async () => {
    writeFileSync(project.env['TIDEMARK_CONFIG'] ?? '', `api: { baseUrl: "${api.url}" }\nmarkets: [{ name: demo }]\n`);
    const ctx = await run('openRun', { ...MARKET, run: 'run-1' });
    expect(ctx.note).toMatch(/tidemark\.yaml changed at .*This run uses the old settings\. Restart the worker/);
  });

  it('stamps a run later than parts that a faster clock landed', async () => {
    const stamp = '2026-11-20T05:00:00.000Z';
    const place = {
      data: new Data(project.dataDir),
      stream: 'companies',
      date: '2026-11-20',
      market: 'demo',
    } as const;
    await landRows({ ...place, run: 'ahead', chunk: 'c-0' }, [
      { request_key: 'GET /v2/companies/1', entity_id: '1', row_kind: 'r', status: 200, fetched_at: stamp, body: '{}' },
    ]);
    const ctx = await run('openRun', { ...MARKET, run: 'run-1' });
    expect(ctx.stampsAfter).toBe(stamp);
    expect(ctx.startedAt > stamp).toBe(true);
    expect(ctx.note).toMatch(/05:00/);
    // Another worker does not know `stamp`: it reads the time of the latest answer from the run.
    all = await makeActivities();
    rmSync(path.join(project.dataDir, 'landing/companies'), { recursive: true });
    await run('closeRun', { ...UNCHECKED, ctx, outcome: 'partial', note: null, heldBack: null });
    await run('loadLanding', ctx);
    await run('buildModels', ctx);
    await run('publishWarehouse', ctx);
    const [row] = await project.query(
      "SELECT finished_at > TIMESTAMP '2026-11-20 05:00:00' AS later FROM ops.runs WHERE run_id = 'run-1'",
    );
    expect(row).toEqual({ later: true });
  });

  it.each([
    ['2026-11-19', '2026-11-20T01:59:59.000Z', undefined],
    ['2026-11-19', '2026-11-20T05:00:00.000Z', '2026-11-20T05:00:00.000Z'],
    ['2026-11-18', '2026-11-20T05:00:00.000Z', undefined],
  ])('follows a landed stamp only if later than now and recent: %s, %s', async (date, stamp, kept) => {
    const place = { data: new Data(project.dataDir), stream: 'companies', date, market: 'demo' } as const;
    await landRows({ ...place, run: 'before', chunk: 'c-0' }, [
      { request_key: 'GET /v2/companies/1', entity_id: '1', row_kind: 'r', status: 200, fetched_at: stamp, body: '{}' },
    ]);
    expect((await run('openRun', { ...MARKET, run: 'run-1' })).stampsAfter).toBe(kept);
  });

  it('reads the current night from runs that are already filed', async () => {
    const ctx = await crawlNight('run-1');
    await run('loadLanding', ctx);
    await run('buildModels', ctx);
    await run('publishWarehouse', ctx);
    const next = await run('openRun', { ...MARKET, run: 'run-2' });
    expect(next.gate?.current).toMatchObject({ date: '2026-11-20', companies: 25, comparable: true });
  });
});

describe('rebuildWarehouse', () => {
  it('rebuilds the warehouse from the landing zone and publishes it', async () => {
    await crawlNight('run-1');
    const made = await run('rebuildWarehouse', {});
    expect(made).toMatchObject({ into: '', failedAudits: [], rejects: 0, folder: readDataFolder(project.dataDir) });
    expect(made.parts).toBeGreaterThan(3);
    expect(await project.query('SELECT count(*) AS n FROM core.companies')).toEqual([{ n: '25' }]);
    expect(beats).toContainEqual(expect.objectContaining({ step: expect.any(String) as string, total: null }));
  });

  it('puts a rebuild of selected nights into its own folder, unpublished', async () => {
    await crawlNight('run-1');
    const made = await run('rebuildWarehouse', { from: '2026-11-20' });
    expect(made.into).toBe(path.join('rebuilt', '2026-11-20..'));
    expect(existsSync(project.published)).toBe(false);
    expect((await run('rebuildWarehouse', { to: '2026-11-20' })).into).toBe(path.join('rebuilt', '..2026-11-20'));
  });

  it('rejects unknown rebuild options', async () => {
    await expect(run('rebuildWarehouse', { form: '2026-11-20' })).rejects.toMatchObject({
      type: 'InvalidInput',
      message: expect.stringMatching(/form.*both are optional/s) as string,
    });
  });
});

describe('enterQuotaGate', () => {
  it('signals the quota gate of the API key, starting it if needed', async () => {
    const ctx = await run('openRun', { ...MARKET, run: 'run-1' });
    const calls: unknown[] = [];
    const signalWithStart = (type: string, options: object): Promise<void> => {
      calls.push([type, options]);
      return Promise.resolve();
    };
    const temporal = { workflow: { signalWithStart }, withAbortSignal: (_: unknown, work: () => unknown) => work() };
    const worker = new MockActivityEnvironment({}, { logger: QUIET, client: temporal as never });
    const waiter = { ctx, priority: 1 };
    await worker.run((input: EnterQuotaGateInput) => all.enterQuotaGate(input), {
      waiter,
      workflowType: 'quotaGate',
      taskQueue: 'q',
      signal: 'enter',
    });
    expect(calls).toEqual([
      [
        'quotaGate',
        expect.objectContaining({
          workflowId: 'the-gate',
          taskQueue: 'q',
          signal: 'enter',
          signalArgs: [waiter],
          args: [],
        }),
      ],
    ]);
  });
});

describe('a warehouse activity', () => {
  it('closes the warehouse when publishing fails', async () => {
    const ctx = await crawlNight('run-1');
    const blocked = path.join(project.dataDir, 'published');
    rmSync(blocked, { recursive: true, force: true });
    writeFileSync(blocked, 'a file in the way');
    await run('loadLanding', ctx);
    await run('buildModels', ctx);
    await expect(run('publishWarehouse', ctx)).rejects.toMatchObject({ name: 'ApplicationFailure' });
    rmSync(blocked);
    mkdirSync(blocked);
    expect(await run('publishWarehouse', ctx)).toHaveProperty('file');
  });
});
