import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFolder } from '../../../src/store/data-folder.js';
import type { ForecastRecord } from '../../../schemas/pipeline/landing.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { createApiClient } from '../../../src/api/index.js';
import { createClock } from '../../../src/base/time/clock.js';
import { loadConfig } from '../../../src/config/config.js';
import { createLog } from '../../../src/config/log.js';
import type { CrawlDeps, Heartbeat } from '../../../src/crawl/records/deps.js';
import { discoverMarket } from '../../../src/crawl/search/discover.js';
import { fetchChunk } from '../../../src/crawl/chunks/fetch-chunk.js';
import { inParallel } from '../../../src/base/in-parallel.js';
import { crawlListing } from '../../../src/crawl/chunks/crawl-listing.js';
import { openRun } from '../../../src/crawl/run/open-run.js';
import { readRunRows } from '../../../src/landing/index.js';
import { bookAttempt, readRequests } from '../../../src/landing/request-log.js';
import { makeProject, type Project } from '../../helpers/project.js';
import { spoolOf } from '../../helpers/spool.js';
import { writeReportV1 } from '../../stub/financials.js';
import { startStub, type StubApi } from '../../stub/index.js';
import { ALONE } from '../../helpers/activity-inputs.js';
import { Data } from '../../../src/store/data.js';

let api: StubApi;
let project: Project;
let deps: CrawlDeps;
let ctx: RunContext;
const heartbeat: Heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };

const use = (url: string): void => {
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({
    baseUrl: url,
    apiKey: api.key,
    onAttempt: bookAttempt,
    stopAtDailyLimit: true,
    retryBaseMs: 1,
    retryCapMs: 2,
    maxRetries: 2,
  });
  deps = { config, data: new Data(config.dataDir), client, clock: createClock({}), log: createLog('test') };
  ctx = openRun(config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'run-1', input: {} });
};

beforeEach(async () => {
  // Pages so small that ten of them cannot list the market.
  api = await startStub({ companies: 120, page: { standard: 7, most: 7, above: 'clamped' }, proxyPages: true });
  project = makeProject({ api, temporal: 'none' });
  use(api.url);
});

afterEach(async () => {
  await deps.client.close();
  await api.close();
  project.remove();
});

const due = (ids: (string | number)[], stream = 'companies', run = 'run-1'): void => {
  const folder = path.join(project.dataDir, 'runs', run, 'due', stream);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'chunk-00000.json'),
    JSON.stringify(ids.map((id) => ({ id: String(id), reason: 'new' }))),
  );
};
const fetchCompanies = () =>
  fetchChunk(deps, { ...ALONE, ctx, stream: 'companies', chunk: 0, concurrency: 4 }, heartbeat);
const landed = () =>
  readRunRows({ data: new Data(project.dataDir), stream: 'companies', run: 'run-1', date: ctx.date });
const detailRequests = () => api.state.requests.filter((request) => request.includes('/v2/companies/')).length;

describe('a chunk', () => {
  it.each([10_000_000_000, 0.5, -1, NaN])('fetches a chunk with the invalid concurrency %d', async (concurrency) => {
    due(api.state.companies.slice(0, 3).map(({ id }) => id));
    expect(
      await fetchChunk(deps, { ...ALONE, ctx, stream: 'companies', chunk: 0, concurrency }, heartbeat),
    ).toMatchObject({
      rows: 3,
    });
  });

  it('commits nothing when cancelled and resumes from the spool', async () => {
    due(api.state.companies.slice(0, 3).map(({ id }) => id));
    const cancelling = new AbortController();
    const fetched = fetchChunk(
      deps,
      { ...ALONE, ctx, stream: 'companies', chunk: 0, concurrency: 1 },
      { ...heartbeat, signal: cancelling.signal, report: ({ done }) => done === 3 && cancelling.abort() },
    );
    await expect(fetched).rejects.toMatchObject({ name: 'AbortError' });
    expect(landed()).toEqual([]);
    const asked = detailRequests();
    expect(await fetchCompanies()).toMatchObject({ rows: 3 });
    expect(detailRequests()).toBe(asked);
  });

  it('lands every entity, and a 404 for a gone company', async () => {
    const { companies } = api.state;
    due(companies.map(({ id }) => id));
    expect(await fetchCompanies()).toMatchObject({ rows: 120, failed: 0, limited: false });
    const gone = new Map(landed().map((row) => [row.entity_id, [404, 410].includes(row.status)]));
    expect(gone).toEqual(new Map(companies.map((company) => [company.id, company.gone])));
  });

  it('lands version 1 reports', async () => {
    const stream = 'financials_v1';
    const companies = api.state.companies.filter(({ gone }) => !gone).slice(0, 5);
    due(
      companies.map(({ id }) => id),
      stream,
    );
    expect(await fetchChunk(deps, { ...ALONE, ctx, stream, chunk: 0, concurrency: 2 }, heartbeat)).toMatchObject({
      rows: 5,
      failed: 0,
    });
    const rows = readRunRows({ data: new Data(project.dataDir), stream, run: 'run-1', date: ctx.date });
    expect(new Map(rows.map((row) => [row.entity_id, JSON.parse(row.body)]))).toEqual(
      new Map(companies.map((company) => [company.id, writeReportV1(company)])),
    );
  });

  it('sends no request for a chunk that has landed', async () => {
    due(api.state.companies.slice(0, 10).map(({ id }) => id));
    await fetchCompanies();
    const sent = api.state.requests.length;
    expect(await fetchCompanies()).toEqual({ rows: 10, requests: 0, failed: 0, limited: false });
    expect(api.state.requests.length).toBe(sent);
  });

  it('requests only what a killed attempt did not fetch', async () => {
    const ids = api.state.companies.slice(10, 30).map(({ id }) => Number(id));
    due(ids);
    const spool = path.join(
      runFolder({ data: new Data(project.dataDir), stream: 'companies', run: 'run-1', date: ctx.date }),
      '_spool',
    );
    mkdirSync(spool, { recursive: true });
    for (const id of ids.slice(0, 15)) {
      const row = {
        request_key: `k${id}`,
        entity_id: String(id),
        row_kind: 'record',
        status: 200,
        fetched_at: new Date().toISOString(),
        body: '{}',
      };
      appendFileSync(path.join(spool, 'part-companies-00000.spool'), spoolOf([row]));
    }
    await fetchCompanies();
    expect(detailRequests()).toBeLessThanOrEqual(6); // five, plus one proxy page that the stub may insert
    expect(
      landed()
        .map((row) => Number(row.entity_id))
        .toSorted((a, b) => a - b),
    ).toEqual(ids);
  });
});

describe('an API with faults', () => {
  const answering = async (answer: (id: string) => [status: number, body: unknown]) => {
    const server = createServer((request, response) => {
      const [status, body] = answer(/\/(\w+)$/.exec(request.url ?? '')?.[1] ?? '');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    await deps.client.close();
    use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    return () => new Promise<void>((resolve) => void server.close(() => resolve()));
  };

  it('lands an entity that always fails as failed and continues', async () => {
    const stop = await answering((id) =>
      id === '7' ? [500, { detail: 'Internal failure.' }] : [200, { id: Number(id) }],
    );
    due([1, 7, 9]);
    expect(await fetchCompanies()).toMatchObject({ rows: 3, failed: 1 });
    expect(landed().find((row) => row.entity_id === '7')).toMatchObject({ status: 500, row_kind: 'failed' });
    await stop();
  });

  it('lands entities that always answer 401 as failed while others succeed', async () => {
    let slips = 2;
    const stop = await answering((id) => {
      if (id === 'metrics') return [200, []];
      const refused = Number(id) % 4 === 3 || (id === '9' && slips-- > 0);
      return refused ? [401, { detail: 'Invalid token.' }] : [200, { id: Number(id) }];
    });
    due(Array.from({ length: 60 }, (_, i) => i + 1));
    expect(
      await fetchChunk(deps, { ...ALONE, ctx, stream: 'companies', chunk: 0, concurrency: 1 }, heartbeat),
    ).toMatchObject({
      rows: 60,
      failed: 15,
    });
    expect(landed().find((row) => row.entity_id === '7')).toMatchObject({ status: 401, row_kind: 'failed' });
    await stop();
  });

  it('treats the key as refused after consecutive 401s', async () => {
    const stop = await answering((id) => {
      if (id === 'metrics') return [200, []];
      return Number(id) > 20 ? [401, { detail: 'Invalid token.' }] : [200, { id: Number(id) }];
    });
    due(Array.from({ length: 60 }, (_, i) => i + 1));
    await expect(
      fetchChunk(deps, { ...ALONE, ctx, stream: 'companies', chunk: 0, concurrency: 1 }, heartbeat),
    ).rejects.toThrow(/Invalid token/);
    await stop();
  });

  it('checks a never accepted key once more, then fails', async () => {
    let asked = 0;
    const stop = await answering(() => {
      asked++;
      return [401, { detail: 'Invalid token.' }];
    });
    due([1, 2, 3]);
    const fetching = fetchChunk(deps, { ...ALONE, ctx, stream: 'companies', chunk: 0, concurrency: 1 }, heartbeat);
    await expect(fetching).rejects.toThrow(/Invalid token/);
    // Two requests: one for the record, and one to another route, which checks the API key.
    expect(asked).toBe(2);
    await stop();
  });

  it('lands many failing entities as failed while the API answers others', async () => {
    const stop = await answering((id) => {
      if (id === 'metrics') return [200, []];
      return Number(id) > 10 ? [500, { detail: 'Internal failure.' }] : [200, { id: Number(id) }];
    });
    due(Array.from({ length: 60 }, (_, i) => i + 1));
    expect(await fetchCompanies()).toMatchObject({ rows: 60, failed: 50 });
    await stop();
  });

  it('stops a chunk after 20 consecutive failures and keeps earlier answers', async () => {
    let down = false;
    const stop = await answering((id) =>
      down ? [503, { detail: 'Service unavailable.' }] : [200, { id: Number(id) }],
    );
    const ids = Array.from({ length: 60 }, (_, i) => i + 1);
    due(ids);
    const failing = fetchChunk(
      deps,
      { ...ALONE, ctx, stream: 'companies', chunk: 0, concurrency: 1 },
      {
        ...heartbeat,
        report: ({ done }) => (down = done >= 30),
      },
    );
    await expect(failing).rejects.toThrow(/20 requests in a row failed/);
    expect(landed()).toEqual([]);
    down = false;
    const rest = await fetchCompanies();
    expect(rest.requests).toBe(30);
    expect(landed()).toHaveLength(60);
    await stop();
  });

  it('ends a chunk at the daily limit and fetches the rest later', async () => {
    let left = 5;
    const access = { permission: 'p', permission_name: 'p', module: 'm', module_name: 'm', app: 'a', app_name: 'a' };
    const asked: string[] = [];
    const stop = await answering((id) => {
      asked.push(id);
      if (id === 'metrics') return [200, []];
      return left-- > 0
        ? [200, { id: Number(id) }]
        : [429, { access, error_guard: 'limits.daily', message_guard: 'No more today.' }];
    });
    due([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(
      await fetchChunk(deps, { ...ALONE, ctx, stream: 'companies', chunk: 0, concurrency: 1 }, heartbeat),
    ).toMatchObject({
      rows: 0,
      limited: true,
    });
    expect(landed()).toEqual([]);
    expect(asked).toEqual(['1', '2', '3', '4', '5', '6', 'metrics']);
    left = 100;
    // The next call first checks with one request whether quota is left.
    expect(await fetchCompanies()).toMatchObject({ rows: 8, requests: 3, limited: false });
    expect(asked.slice(7)).toEqual(['metrics', '6', '7', '8']);
    await stop();
  });

  describe('a suspected limit', () => {
    const access = { permission: 'p', permission_name: 'p', module: 'm', module_name: 'm', app: 'a', app_name: 'a' };
    const limit: [number, unknown] = [429, { access, error_guard: 'limits.daily', message_guard: 'No more today.' }];
    const figure = [{ name: 'Daily', codename: 'daily', metrics: [{ name: 'D', codename: 'd', used: 5, total: 900 }] }];
    const fetchWith = (concurrency: number) =>
      fetchChunk(deps, { ...ALONE, ctx, stream: 'companies', chunk: 0, concurrency }, heartbeat);
    const answeringLimit = (limited: (id: number) => boolean) =>
      answering((id) => (id === 'metrics' ? [200, figure] : limited(Number(id)) ? limit : [200, { id: Number(id) }]));

    it('lands records with a suspected limit as failed and fetches the rest', async () => {
      const stop = await answeringLimit((id) => id % 4 === 1);
      due(Array.from({ length: 60 }, (_, i) => i + 1));
      expect(await fetchWith(4)).toMatchObject({ rows: 60, failed: 15, limited: false });
      const failed = landed().filter(({ row_kind }) => row_kind === 'failed');
      expect(failed.map((row) => Number(row.entity_id) % 4)).toEqual(Array.from({ length: 15 }, () => 1));
      expect(failed[0]).toMatchObject({ status: 429, body: expect.stringContaining('No more today.') });
      await stop();
    });

    it('files a single record with a suspected limit only after a record of an earlier night was answered', async () => {
      let stop = await answeringLimit(() => false);
      due([8, 9]);
      await fetchWith(4);
      await stop();
      stop = await answeringLimit((id) => id === 7);
      ctx = { ...ctx, run: 'run-2' };
      due([7], 'companies', 'run-2');
      expect(await fetchWith(4)).toMatchObject({ rows: 1, failed: 1, limited: false });
      await stop();
      stop = await answeringLimit(() => true);
      ctx = { ...ctx, run: 'run-3' };
      due([7], 'companies', 'run-3');
      expect(await fetchWith(4)).toMatchObject({ rows: 0, failed: 0, limited: true });
      await stop();
    });

    it('trusts consecutive daily-limit errors over /v2/metrics', async () => {
      let stop = await answeringLimit((id) => id > 20);
      due(Array.from({ length: 60 }, (_, i) => i + 1));
      const told = await fetchWith(1);
      expect(told).toMatchObject({ rows: 0, requests: 30 + 9, failed: 0, limited: true });
      await stop();
      // The answers before the limit are kept.
      stop = await answeringLimit(() => false);
      expect(await fetchWith(1)).toMatchObject({ rows: 60, requests: 40 });
      await stop();
    });
  });
});

describe('discovery of a market', () => {
  const discover = (round: number, budget: number) =>
    discoverMarket(deps, { ctx, round, budget, concurrency: 4 }, heartbeat);

  it('finds the same in many rounds as in one, without repeating a request', async () => {
    await crawlListing(deps, { ctx, listing: 'nomenclatures' }, heartbeat);
    let round = 0;
    let last = await discover(round, 6);
    while (!last.done) last = await discover(++round, 6);
    expect(round).toBeGreaterThan(2);
    expect(last.coverage).toEqual({ reportedTotal: 120, distinctCompanies: 120, missing: 0, share: 1 });

    const searches = readRunRows({
      data: new Data(project.dataDir),
      stream: 'prospecting',
      run: 'run-1',
      date: ctx.date,
    });
    expect(new Set(searches.map((row) => row.request_key)).size).toBe(searches.length);
    const booked = readRequests(project.dataDir, 'run-1').filter(({ endpoint }) => endpoint.startsWith('POST '));
    const sum = (figure: 'requests' | 'retries') => booked.reduce((total, endpoint) => total + endpoint[figure], 0);
    expect(sum('requests')).toBe(searches.length + sum('retries'));
  });

  it('starts with a forecast from probes that the search reuses', async () => {
    await crawlListing(deps, { ctx, listing: 'nomenclatures' }, heartbeat);
    await discover(0, 500);
    const forecasts = readRunRows({
      data: new Data(project.dataDir),
      stream: 'forecasts',
      run: 'run-1',
      date: ctx.date,
    });
    const told = forecasts.map(({ body }) => JSON.parse(body) as ForecastRecord);
    expect(told.map(({ stream }) => stream)).toEqual([
      'nomenclatures',
      'metrics',
      'contact_metrics',
      'search',
      'companies',
      'financials',
    ]);
    expect(told.find(({ stream }) => stream === 'companies')).toMatchObject({ requests: 120, basis: '120 new' });
    const searches = readRunRows({
      data: new Data(project.dataDir),
      stream: 'prospecting',
      run: 'run-1',
      date: ctx.date,
    });
    const forecast = told.find(({ stream }) => stream === 'search')?.requests ?? 0;
    // No page is requested twice. The forecast is at least the 18 pages of 7, plus the requests to find them.
    expect(new Set(searches.map((row) => row.request_key)).size).toBe(searches.length);
    expect(forecast).toBeGreaterThanOrEqual(18);
    expect(forecast).toBeLessThan(2 * searches.length);
  });
});

describe('a search that never succeeds', () => {
  it('retries a failing search, then reports it and finds the rest', async () => {
    await crawlListing(deps, { ctx, listing: 'nomenclatures' }, heartbeat);
    api.state.broken = (filters, page) => page === 3 && Object.keys(filters).length > 0;
    const input = { ctx, round: 0, budget: 500, concurrency: 4 };
    await expect(discoverMarket(deps, input, heartbeat)).rejects.toThrow(/Internal failure/);
    const result = await discoverMarket(deps, input, { ...heartbeat, attempt: 4 });
    expect(result.done).toBe(true);
    const { distinctCompanies, missing } = result.coverage ?? { distinctCompanies: 0, missing: 0 };
    expect(distinctCompanies + missing).toBe(120);
    expect(missing > 0).toBe((result.causes ?? []).length > 0);
    expect(distinctCompanies).toBeGreaterThan(60);
    const refused = readRunRows({
      data: new Data(project.dataDir),
      stream: 'prospecting',
      run: 'run-1',
      date: ctx.date,
    });
    expect(refused.filter((row) => row.status === 500).length).toBeGreaterThan(0);
  });
});

it('starts no new work after a failure and waits for work in flight', async () => {
  const begun: number[] = [];
  const ended: number[] = [];
  const work = inParallel([1, 2, 3, 4, 5, 6], 2, async (n) => {
    begun.push(n);
    await new Promise((resolve) => setImmediate(resolve));
    if (n === 1) throw new Error('one');
    ended.push(n);
  });
  await expect(work).rejects.toThrow('one');
  expect(begun.length).toBeLessThan(6);
  expect(ended.length).toBe(begun.length - 1);
});
