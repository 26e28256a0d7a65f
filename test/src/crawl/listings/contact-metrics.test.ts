import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import { createApiClient, LimitError } from '../../../../src/api/index.js';
import { createClock } from '../../../../src/base/time/clock.js';
import { loadConfig } from '../../../../src/config/config.js';
import { createLog } from '../../../../src/config/log.js';
import { SHORT_LISTS } from '../../../../src/crawl/listings/short-lists.js';
import type { CrawlDeps, Heartbeat } from '../../../../src/crawl/records/deps.js';
import { crawlListing } from '../../../../src/crawl/chunks/crawl-listing.js';
import { openRun } from '../../../../src/crawl/run/open-run.js';
import { landRows, readRunRows } from '../../../../src/landing/index.js';
import { bookAttempt } from '../../../../src/landing/request-log.js';
import { makeProject, type Project } from '../../../helpers/project.js';
import { startStub, type StubApi } from '../../../stub/index.js';
import type { StubFault } from '../../../stub/state.js';
import { Data } from '../../../../src/store/data.js';

const ROUTE = '/v2/metrics/contacts';
const NOW = '2026-11-20T09:00:00Z';
const FIRST: Heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
const LATE: Heartbeat = { ...FIRST, attempt: 9 };

let api: StubApi;
let project: Project;
let deps: CrawlDeps;
let ctx: RunContext;

beforeEach(async () => {
  api = await startStub({ companies: 10 });
  project = makeProject({ api, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({
    baseUrl: api.url,
    apiKey: api.key,
    onAttempt: bookAttempt,
    stopAtDailyLimit: true,
    retryBaseMs: 1,
    retryCapMs: 2,
    maxRetries: 1,
  });
  deps = {
    config,
    data: new Data(config.dataDir),
    client,
    clock: createClock({ TIDEMARK_NOW: NOW }),
    log: createLog('test'),
  };
  ctx = openRun(config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'run-1', input: {} });
});

afterEach(async () => {
  await deps.client.close();
  await api.close();
  project.remove();
});

const read = (heartbeat = FIRST) => crawlListing(deps, { ctx, listing: 'contact_metrics' }, heartbeat);
const landed = () =>
  readRunRows({ data: new Data(project.dataDir), stream: 'contact_metrics', run: 'run-1', date: ctx.date }).map(
    ({ entity_id, status }) => [entity_id, status],
  );
const asked = () => api.state.requests.filter((request) => request.includes(ROUTE)).length;
const break_ = (fault: Partial<StubFault>) => api.state.faults.push({ route: ROUTE, seen: 0, met: 0, ...fault });
const OK = ['2026-11-18', '2026-11-19', '2026-11-20'].map((day) => [day, 200]);

describe('days', () => {
  const dueDays = (run: RunContext) => SHORT_LISTS.contact_metrics.due(deps, run);
  const readAt = async (day: string, at: string, status = 200) =>
    landRows(
      {
        data: new Data(project.dataDir),
        stream: 'contact_metrics',
        run: 'run-0',
        date: '2026-11-19',
        market: null,
        chunk: `${day}-${at.replaceAll(':', '')}`,
      },
      [{ request_key: 'k', entity_id: day, row_kind: 'day', status, fetched_at: at, body: '{}' }],
    );

  it('reads today and two days before, until a day was read after its end in every time zone', async () => {
    expect(dueDays(ctx)).toEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
    await readAt('2026-11-18', '2026-11-19T11:59:59.000Z');
    await readAt('2026-11-19', '2026-11-20T12:00:00.000Z', 500);
    expect(dueDays(ctx)).toEqual(['2026-11-18', '2026-11-19', '2026-11-20']);
    await readAt('2026-11-18', '2026-11-19T12:00:00.000Z');
    expect(dueDays(ctx)).toEqual(['2026-11-19', '2026-11-20']);
  });

  it('reads the days of a run of past dates that were not read after their end', async () => {
    await readAt('2026-01-02', '2026-01-04T00:00:00.000Z');
    const span = { asOfNow: false, date: '2026-11-20', from: '2026-01-01', to: '2026-01-03' };
    expect(dueDays({ ...ctx, ...span })).toEqual(['2026-01-01', '2026-01-03']);
  });
});

it('lands one answer per day and does not read a landed day again', async () => {
  expect(await read()).toEqual({ rows: 3, requests: 3, entities: 3, limited: false, shortfall: null });
  expect(landed()).toEqual(OK);
  await read();
  expect(asked()).toBe(3);
});

it('resumes after a failed attempt with the days that are missing', async () => {
  break_({ skip: 2, limit: { guard: 'limit' } });
  await expect(read()).rejects.toBeInstanceOf(LimitError);
  api.state.faults.length = 0;
  const before = asked();
  expect(await read()).toMatchObject({ rows: 3, requests: 1 });
  expect(asked()).toBe(before + 1);
  expect(landed()).toEqual(OK);
});

it('continues without the metrics when the API never answers', async () => {
  break_({ status: 500, body: { detail: 'Internal failure.' } });
  expect(await read(LATE)).toMatchObject({
    entities: 0,
    limited: false,
    shortfall: expect.stringMatching(
      /^These contact metrics could not be read: 2026-11-18, 2026-11-19, 2026-11-20: .*backfill --streams contact_metrics`\.$/,
    ) as string,
  });
});

it('names a missing permission after few requests', async () => {
  ctx = { ...ctx, asOfNow: false, from: '2026-01-01', to: '2026-01-31' };
  api.state.forbidden.push({ prefix: ROUTE, shape: 'detail' });
  const result = await read();
  expect(result.refused).toMatchObject([{ stream: 'contact_metrics', endpoint: `GET ${ROUTE}` }]);
  expect(result.shortfall).toMatch(/contact metrics could not be read: 31 between 2026-01-01 and 2026-01-31/);
  expect(asked()).toBeLessThanOrEqual(5);
});

it('does not wait for quota', async () => {
  Object.assign(api.state.daily, { used: 1, total: 1 });
  break_({ skip: 1, limit: { guard: 'limits.daily' } });
  expect(await read()).toMatchObject({ entities: 1, limited: false, shortfall: expect.any(String) as string });
});

it('lands a refused day as an error and reads the other days', async () => {
  break_({ skip: 1, times: 1, status: 400, body: { date_to: ['In the future.'] } });
  expect(await read()).toMatchObject({
    rows: 3,
    entities: 2,
    shortfall: expect.stringMatching(/2026-11-19: .*In the future/) as string,
  });
  expect(Object.fromEntries(landed())).toEqual({ '2026-11-18': 200, '2026-11-19': 400, '2026-11-20': 200 });
});

it('lands an error for each day that the API refuses', async () => {
  break_({ status: 400, body: { date_to: ['No.'] } });
  ctx = { ...ctx, asOfNow: false, from: '2026-01-01', to: '2026-01-31' };
  expect(await read()).toMatchObject({ rows: 31, entities: 0 });
  expect(asked()).toBe(31);
});
