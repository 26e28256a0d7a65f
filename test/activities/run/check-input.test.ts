import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CrawlActivities, WarehouseActivities } from '../../../activities/contract.js';
import { checkInput } from '../../../activities/run/check-input.js';
import { createCrawlActivities } from '../../../activities/crawl.js';
import { createWarehouseActivities } from '../../../activities/warehouse.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { createApiClient } from '../../../src/api/index.js';
import { createClock } from '../../../src/base/time/clock.js';
import { loadConfig } from '../../../src/config/config.js';
import { createLog } from '../../../src/config/log.js';
import { makeProject, type Project } from '../../helpers/project.js';
import { ALONE, UNCHECKED } from '../../helpers/activity-inputs.js';
import { Data } from '../../../src/store/data.js';

const CTX = { run: 'run-1', date: '2026-11-20', market: null, workflowId: 'w' } as RunContext;
const FORGED: [what: string, ctx: RunContext][] = [
  ['a run that leads elsewhere', { ...CTX, run: '../../../../../escaped' }],
  ['a run that is the folder above', { ...CTX, run: '..' }],
  ['a date that leads elsewhere', { ...CTX, date: '2026-11-20/../../..' }],
  ['a file that leads elsewhere', { ...CTX, file: '../../../outside.csv' }],
];

/** A call of every activity that takes a run context. */
const CALLS: [name: string, call: (all: CrawlActivities & WarehouseActivities, ctx: RunContext) => Promise<unknown>][] =
  [
    ['discoverMarket', (all, ctx) => all.discoverMarket({ ctx, budget: 1, concurrency: null, round: 0 })],
    ['crawlListing', (all, ctx) => all.crawlListing({ ctx, listing: 'tenders' })],
    ['crawlChunk', (all, ctx) => all.crawlChunk({ ...ALONE, ctx, stream: 'matches', chunk: 0, concurrency: null })],
    ['readQuota', (all, ctx) => all.readQuota(ctx)],
    [
      'enterQuotaGate',
      (all, ctx) =>
        all.enterQuotaGate({ waiter: { ctx, priority: 1 }, workflowType: 'quotaGate', taskQueue: 'q', signal: 's' }),
    ],
    ['closeRun', (all, ctx) => all.closeRun({ ...UNCHECKED, ctx, outcome: 'failed', note: null, heldBack: null })],
    ['planDue', (all, ctx) => all.planDue({ ctx, stream: 'matches', chunkSize: 1 })],
    ['loadLanding', (all, ctx) => all.loadLanding(ctx)],
    ['buildModels', (all, ctx) => all.buildModels(ctx)],
    ['publishWarehouse', (all, ctx) => all.publishWarehouse(ctx)],
  ];

describe('activity input forged by a Temporal client', () => {
  let project: Project;
  let activities: CrawlActivities & WarehouseActivities;

  beforeAll(() => {
    const api = { url: 'http://127.0.0.1:9', key: 'none-of-your-business' };
    project = makeProject({ api, temporal: 'none' });
    const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
    const client = createApiClient({ baseUrl: api.url, apiKey: api.key });
    const deps = {
      config,
      data: new Data(config.dataDir),
      client,
      clock: createClock({}),
      log: createLog('test'),
    };
    activities = {
      ...createCrawlActivities(deps, { quotaGate: 'gate', stateAttributes: [] }),
      ...createWarehouseActivities(deps),
    };
  });

  afterAll(() => project.remove());

  it.each(CALLS)('%s rejects names that lead outside the run', async (_name, call) => {
    for (const [what, ctx] of FORGED) {
      await expect(call(activities, ctx), what).rejects.toMatchObject({ type: 'InvalidInput', nonRetryable: true });
    }
    expect(existsSync(project.dataDir)).toBe(false);
  });

  it('rejects unknown streams, listings and chunks in activity input', async () => {
    const wrong = [
      activities.crawlChunk({ ...ALONE, ctx: CTX, stream: '../runs' as 'companies', chunk: 0, concurrency: null }),
      activities.crawlChunk({
        ...ALONE,
        ctx: CTX,
        stream: 'companies',
        chunk: '../0' as unknown as number,
        concurrency: null,
      }),
      activities.crawlListing({ ctx: CTX, listing: '../runs' as 'tenders' }),
      activities.planDue({ ctx: CTX, stream: '..' as 'companies', chunkSize: 1 }),
      activities.discoverMarket({ ctx: CTX, budget: 1, concurrency: null, round: -1 }),
      activities.openRun({ workflowType: 'watchSync', workflowId: 'w', run: '../x', input: {} }),
    ];
    for (const call of wrong) await expect(call).rejects.toMatchObject({ type: 'InvalidInput' });
    expect(existsSync(project.dataDir)).toBe(false);
  });
});

it.each(['tenders', 'watched_companies', 'nomenclatures'])('accepts the listing %s', (listing) => {
  expect(() => checkInput('crawlListing', { ctx: CTX, listing })).not.toThrow();
});
