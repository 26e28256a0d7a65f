import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import type { FetchedStreamName } from '../../../schemas/streams/streams.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { createApiClient, LimitError, TokenVerificationError } from '../../../src/api/index.js';
import { createClock } from '../../../src/base/time/clock.js';
import { loadConfig } from '../../../src/config/config.js';
import { createLog } from '../../../src/config/log.js';
import type { CrawlDeps, Heartbeat } from '../../../src/crawl/records/deps.js';
import { discoverMarket } from '../../../src/crawl/search/discover.js';
import { fetchChunk } from '../../../src/crawl/chunks/fetch-chunk.js';
import { crawlListing } from '../../../src/crawl/chunks/crawl-listing.js';
import { openRun } from '../../../src/crawl/run/open-run.js';
import { readRunRows } from '../../../src/landing/index.js';
import { bookAttempt } from '../../../src/landing/request-log.js';
import { makeProject, type Project } from '../../helpers/project.js';
import { ALONE } from '../../helpers/activity-inputs.js';
import { Data } from '../../../src/store/data.js';

const KEY = 'a-key-of-this-test';
const FIRST: Heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
const LATE: Heartbeat = { ...FIRST, attempt: 6 };
const HOURS = 3_600_000;

const access = {
  permission: 'p.reports',
  permission_name: 'Reports',
  module: 'm.data',
  module_name: 'Company data',
  app: 'api',
  app_name: 'Company Data API',
};
type Answer = [status: number, body: unknown];
const limit: Answer = [429, { access, error_guard: 'limit', message_guard: 'Slow down.' }];
const denied = { error_name: 'ProductPermissionDenied', error_code: 403, message: 'No.', data: {} };

let server: Server;
let project: Project;
let deps: CrawlDeps;
let ctx: RunContext;
let asked: string[];
/** The API's answer to a path and body; undefined means a record. */
let answer: (path: string, body: Record<string, unknown>) => Answer | undefined | Promise<Answer | undefined>;

beforeEach(async () => {
  asked = [];
  answer = () => undefined;
  server = createServer((request, response) => {
    void (async () => {
      const said = await text(request);
      const [where = ''] = (request.url ?? '').split('?');
      asked.push(where);
      const [status, body] = (await answer(where, said === '' ? {} : JSON.parse(said))) ?? [200, usual(where)];
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  project = makeProject({ api: { url, key: KEY }, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({
    baseUrl: url,
    apiKey: KEY,
    retryBaseMs: 1,
    retryCapMs: 2,
    maxRetries: 1,
    requestsPerSecond: 1e6,
    onAttempt: bookAttempt,
  });
  deps = { config, data: new Data(config.dataDir), client, clock: createClock({}), log: createLog('test') };
  ctx = openRun(config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'run-1', input: {} });
});

afterEach(async () => {
  await deps.client.close();
  server.closeAllConnections();
  server.close();
  project.remove();
});

function usual(where: string): unknown {
  if (where === '/v2/metrics') return [];
  return { id: Number(where.split('/').at(-1)) };
}

const idOf = (where: string) => Number(where.split('/').at(-1));
const times = (what: string) => asked.filter((where) => where === what).length;
const due = (ids: (string | number)[], stream: LandingStream = 'companies', chunk = 0, run = ctx.run): void => {
  const folder = path.join(project.dataDir, 'runs', run, 'due', stream);
  mkdirSync(folder, { recursive: true });
  const name = `chunk-${String(chunk).padStart(5, '0')}.json`;
  writeFileSync(path.join(folder, name), JSON.stringify(ids.map((id) => ({ id: String(id), reason: 'new' }))));
};
const many = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const fetch = (heartbeat = FIRST, stream: FetchedStreamName = 'companies', chunk = 0) =>
  fetchChunk(deps, { ...ALONE, ctx, stream, chunk, concurrency: 16 }, heartbeat);
const landed = (stream: LandingStream = 'companies') =>
  readRunRows({ data: new Data(project.dataDir), stream, run: ctx.run, date: ctx.date });
const failed = () =>
  landed()
    .filter(({ row_kind }) => row_kind === 'failed')
    .map(({ entity_id }) => Number(entity_id));

describe('consecutive 401s', () => {
  const wrongKey: Answer = [401, { detail: 'Invalid token.' }];
  const ofRecords = () => asked.filter((where) => where.startsWith('/v2/companies/')).length;

  it('files one record that answers 401 as failed', async () => {
    answer = (where) => (idOf(where) === 7 ? wrongKey : undefined);
    due(many(40));
    expect(await fetch()).toMatchObject({ rows: 40, failed: 1 });
    expect(failed()).toEqual([7]);
  });

  it('ends the chunk after consecutive 401s and files none as failed', async () => {
    answer = (where) => (where.startsWith('/v2/companies/') ? wrongKey : undefined);
    due(many(300));
    await expect(fetch()).rejects.toThrow(TokenVerificationError);
    // Ten consecutive refusals and the sixteen requests in flight, each sent twice.
    expect(ofRecords()).toBeLessThanOrEqual(2 * (10 + 16));
    expect(landed()).toEqual([]);
  });
});

describe('a key without permission for a stream', () => {
  it.each<[string, Answer, object]>([
    [
      'LimitError with another guard',
      [403, { access, error_guard: 'permission', message_guard: 'Not yours.' }],
      { permission: 'Reports', module: 'Company data', app: 'Company Data API', guard: 'permission' },
    ],
    ['detail', [403, { detail: 'You do not have permission.' }], { permission: null, module: null, guard: null }],
    ['detail under 400', [400, { detail: 'You do not have permission to do this.' }], { permission: null }],
    ['the error of version 1', [403, denied], { permission: null }],
    ['no documented shape', [403, { message: 'Forbidden' }], { permission: null }],
    ['no body', [403, ''], { permission: null }],
  ])('(%s) stops after a few requests and names the missing permission', async (_name, said, named) => {
    answer = () => said;
    due(many(300));
    const result = await fetch();
    expect(asked.length).toBeLessThanOrEqual(5);
    expect(result).toMatchObject({
      failed: 0,
      rows: 0,
      closed: { sure: false },
      refused: [{ stream: 'companies', endpoint: 'GET /v2/companies/{id}', ...named }],
    });
    expect(landed()).toEqual([]);
  });

  it('files a single refused record as failed, even if first or alone', async () => {
    answer = (where) => (idOf(where) === 1 ? [403, denied] : undefined);
    due(many(40));
    expect(await fetch()).toMatchObject({ rows: 40, failed: 1 });
    expect(failed()).toEqual([1]);
    // Only this record is due the next night.
    ctx = { ...ctx, run: 'run-2' };
    due([1], 'companies', 0);
    const result = await fetch();
    expect(result).toMatchObject({ rows: 1, failed: 1 });
    expect(result.closed).toBeUndefined();
  });

  it('files consecutive refused records as failed while others are answered', async () => {
    answer = (where) => (idOf(where) <= 60 ? [403, denied] : undefined);
    due(many(100));
    expect(await fetch()).toMatchObject({ rows: 100, failed: 60 });
  });

  it('stops and keeps answers when the permission is withdrawn halfway', async () => {
    let withdrawn = false;
    answer = (where) => {
      withdrawn ||= idOf(where) === 100;
      return withdrawn && where.startsWith('/v2/companies/') ? [403, denied] : undefined;
    };
    due(many(500));
    const result = await fetch();
    expect(result).toMatchObject({ failed: 0, closed: { sure: true } });
    expect(result.rows).toBeGreaterThan(80);
    expect(failed()).toEqual([]);
    // The rest of the 400 records got no request: the chunk ended after twenty consecutive refusals. Requests in flight
    // at that time are counted too.
    expect(asked.length).toBeLessThan(220);
  });

  it('is not sure of a refusal if the first answer comes after the comparison', async () => {
    let slow = (): void => undefined;
    answer = async (where) => {
      if (!where.startsWith('/v2/companies/')) return undefined;
      // The fault of the first record lets others be requested at the same time.
      if (idOf(where) === 1) return [500, { detail: 'Internal failure.' }];
      if (idOf(where) !== 2) return [403, denied];
      await new Promise<void>((resolve) => (slow = resolve));
      return undefined;
    };
    due(many(100));
    const ended = fetch();
    // The last record is the first one that is requested for comparison.
    await expect.poll(() => asked.includes('/v2/companies/100')).toBe(true);
    slow();
    expect(await ended).toMatchObject({ rows: 1, closed: { sure: false } });
  });

  it('reports missing permission for a chunk of one record', async () => {
    answer = () => [403, denied];
    due([1]);
    expect(await fetch()).toMatchObject({ rows: 0, failed: 0, closed: { sure: false } });
  });

  it('stops a search without permission, but not for one refused search', async () => {
    answer = (where) => (where === '/v2/prospecting' ? [403, denied] : undefined);
    const result = await discoverMarket(deps, { ctx, round: 0, budget: 500, concurrency: 16 }, FIRST);
    expect(result).toMatchObject({ done: false, refused: { stream: 'prospecting', endpoint: 'POST /v2/prospecting' } });
    expect(times('/v2/prospecting')).toBeLessThanOrEqual(5);

    answer = (where, { filters, page }) => {
      if (where !== '/v2/prospecting') return [404, { detail: 'Not found.' }];
      if (JSON.stringify(filters) !== '{}') return [403, denied];
      return [200, { total_companies: 3, total_pages: 1, data: page === 1 ? [{ id: 1 }, { id: 2 }, { id: 3 }] : [] }];
    };
    ctx = { ...ctx, run: 'run-2' };
    const found = await discoverMarket(deps, { ctx, round: 0, budget: 500, concurrency: 16 }, FIRST);
    expect(found.refused).toBeUndefined();
    expect(found.distinctCompanies).toBe(3);
  });

  it.each(['tenders', 'watched_companies'] as const)('stops the listing %s after three refusals', async (listing) => {
    answer = () => [403, { detail: 'Forbidden.' }];
    const result = await crawlListing(deps, { ctx, listing }, FIRST);
    expect(result).toMatchObject({ rows: 0, limited: false, refused: [{ stream: listing, permission: null }] });
    expect(asked).toHaveLength(3);
  });

  it('reports refused lookup lists and reads the others', async () => {
    answer = (where) => (where.includes('/tenders/') ? [403, denied] : [200, {}]);
    const result = await crawlListing(deps, { ctx, listing: 'nomenclatures' }, FIRST);
    expect(result).toMatchObject({
      entities: 1,
      refused: [
        { stream: 'nomenclatures', endpoint: 'GET /v1/finder/tenders/nomenclatures' },
        { stream: 'nomenclatures', endpoint: 'GET /v1/finder/tenders/donors' },
      ],
    });
  });

  it('resolves through permitted routes only and stops asking refused ones', async () => {
    const question = (i: number) => JSON.stringify({ name: `N ${i}`, country_code: 'DE', registration_number: `${i}` });
    const listed = { total_results: 1, total_pages: 1, data: [{ id: '7', name: 'N 7' }] };
    answer = (where) => {
      if (where.startsWith('/v2/enrichment')) return [403, denied];
      return [200, where.startsWith('/v2/overview') ? listed : { id: 7 }];
    };
    due(many(100).map(question), 'matches');
    const result = await fetch(FIRST, 'matches');
    expect(result).toMatchObject({ failed: 0, refused: [{ endpoint: 'POST /v2/enrichment/company' }] });
    expect(new Set(landed('matches').map(({ entity_id }) => entity_id)).size).toBe(100);
    expect(times('/v2/enrichment/company')).toBeLessThanOrEqual(3 + 16);

    asked = [];
    due(
      many(50).map((i) => JSON.stringify({ registration_number: `${i}`, country_code: 'DE' })),
      'matches',
      1,
    );
    const next = {
      ...ALONE,
      ctx,
      stream: 'matches' as const,
      chunk: 1,
      concurrency: 16,
      refused: ['POST /v2/enrichment/company', 'POST /v2/autocomplete', 'POST /v2/overview'],
    };
    expect(await fetchChunk(deps, next, FIRST)).toMatchObject({ rows: 0, failed: 0 });
    expect(asked).toEqual([]);
  });
});

describe('alternating faults', () => {
  it.each<[string, Answer, number]>([
    ['refused records', [200, denied], 60],
    ['records that refuse the key', [401, { detail: 'Invalid token.' }], 24],
  ])('treats %s among good answers as faults of single records', async (_, fault, count) => {
    answer = (where) => (/companies/.test(where) && idOf(where) % 2 === 1 ? fault : undefined);
    due(many(count));
    expect(await fetch()).toMatchObject({ failed: count / 2 });
    expect(failed().toSorted((a, b) => a - b)).toEqual(many(count).filter((id) => id % 2 === 1));
    // The requests that check the API fetch no record again.
    const evens = many(count).filter((id) => id % 2 === 0);
    expect(evens.map((id) => times(`/v2/companies/${id}`))).toEqual(evens.map(() => 1));
  });

  it('fetches records that fail at first with at most one check of the API', async () => {
    // Each failing record is requested twice in the chunk's first pass, so it succeeds in the second pass.
    answer = (where) =>
      /companies/.test(where) && idOf(where) % 2 === 1 && times(where) <= 2
        ? [500, { detail: 'Internal server error' }]
        : undefined;
    due(many(60));
    expect(await fetch()).toMatchObject({ rows: 60, failed: 0 });
    expect(times('/v2/metrics')).toBeLessThanOrEqual(1);
  });
});

describe('`limit` in a chunk, search or listing', () => {
  it('fails with LimitError while everything is limited and keeps answers', async () => {
    let limited = false;
    answer = (where) => {
      limited ||= idOf(where) === 50;
      return limited && where.startsWith('/v2/companies') ? limit : undefined;
    };
    due(many(200));
    const error = await fetch().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LimitError);
    expect(error).toMatchObject({ guard: 'limit', access });
    expect(landed()).toEqual([]);
    const answeredBefore = new Set(asked).size;
    // During the limit, even a late attempt sends only a few requests and files nothing.
    asked = [];
    await expect(fetch(LATE)).rejects.toBeInstanceOf(LimitError);
    expect(new Set(asked).size).toBeLessThanOrEqual(4);
    expect(landed()).toEqual([]);
    asked = [];
    answer = () => undefined;
    expect(await fetch(LATE)).toMatchObject({ rows: 200, failed: 0 });
    expect(asked.length).toBeLessThan(200 - answeredBefore + 40);
    expect(new Set(landed().map(({ entity_id }) => entity_id)).size).toBe(200);
  });

  it('retries single limited records, then files them as failed', async () => {
    answer = (where) => ([1, 2, 3, 70].includes(idOf(where)) ? limit : undefined);
    due(many(100));
    await expect(fetch()).rejects.toBeInstanceOf(LimitError);
    expect(await fetch(LATE)).toMatchObject({ rows: 100, failed: 4 });
    expect(failed().toSorted((a, b) => a - b)).toEqual([1, 2, 3, 70]);
  });

  it('compares a single limited record with one of an earlier night', async () => {
    due([8, 9]);
    await fetch();
    ctx = { ...ctx, run: 'run-2' };
    due([7]);
    answer = (where) => (idOf(where) === 7 ? limit : undefined);
    await expect(fetch()).rejects.toBeInstanceOf(LimitError);
    expect(await fetch(LATE)).toMatchObject({ rows: 1, failed: 1 });
  });

  it('ends a stream that is limited for hours and files nothing', async () => {
    answer = (where) => (where.startsWith('/v2/companies') ? limit : undefined);
    due(many(100));
    const result = await fetch({ ...LATE, since: Date.now() - 3 * HOURS });
    expect(result).toMatchObject({ rows: 0, failed: 0, refused: [{ guard: 'limit', permission: 'Reports' }] });
  });

  it('fails a limited search with LimitError, but only reports one limited page', async () => {
    const input = { ctx, round: 0, budget: 500, concurrency: 4 };
    answer = (where) => (where === '/v2/metrics' ? undefined : limit);
    await expect(discoverMarket(deps, input, LATE)).rejects.toBeInstanceOf(LimitError);
    answer = (where, { page }) => {
      if (where !== '/v2/prospecting') return [404, { detail: 'Not found.' }];
      if (page !== 1) return limit;
      return [200, { total_companies: 4, total_pages: 2, data: [{ id: 1 }, { id: 2 }] }];
    };
    await expect(discoverMarket(deps, input, FIRST)).rejects.toBeInstanceOf(LimitError);
    const found = await discoverMarket(deps, input, LATE);
    expect(found).toMatchObject({ done: true, distinctCompanies: 2 });
    expect(found.coverage?.missing).toBe(2);
  });

  it('fails limited listings and lookup lists with LimitError', async () => {
    answer = (where) => (where === '/v2/metrics' ? undefined : limit);
    for (const listing of ['tenders', 'watched_companies', 'nomenclatures'] as const) {
      await expect(crawlListing(deps, { ctx, listing }, LATE), listing).rejects.toBeInstanceOf(LimitError);
    }
    // Lookup lists that were read are kept.
    answer = (where) => (where.endsWith('/donors') ? undefined : limit);
    await expect(crawlListing(deps, { ctx, listing: 'nomenclatures' }, FIRST)).rejects.toBeInstanceOf(LimitError);
    asked = [];
    answer = () => [200, {}];
    expect(await crawlListing(deps, { ctx, listing: 'nomenclatures' }, LATE)).toMatchObject({ entities: 3 });
    expect(asked).not.toContain('/v1/finder/tenders/donors');
  });
});

it('starts no more jobs about owners while the API answers nothing', async () => {
  answer = () => [500, { detail: 'Internal failure.' }];
  ctx = { ...ctx, ownership: deps.config.ownership };
  due(many(200), 'ownership_jobs');
  const starts = () => asked.filter((where) => where.endsWith('/ubo/enrich')).length;
  await expect(fetch(FIRST, 'ownership_jobs')).rejects.toThrow(/Internal failure|answers no request/);
  const lost = starts();
  expect(lost).toBeGreaterThanOrEqual(20);
  for (const attempt of [2, 3, 4])
    await expect(fetch({ ...FIRST, attempt }, 'ownership_jobs')).rejects.toThrow(/Internal failure|answers no request/);
  expect(starts()).toBe(lost);
  // The lost ones are left to the polls; the others start once the API answers.
  answer = (where) => (where.endsWith('/ubo/enrich') ? [200, { job_id: 'j' }] : undefined);
  expect(await fetch({ ...FIRST, attempt: 5 }, 'ownership_jobs')).toMatchObject({ rows: 200 - lost });
  expect(starts()).toBe(200);
});

it('requests smaller pages of a listing if the API calls its first page invalid, for whatever reason', async () => {
  const invalid = { error_name: 'InvalidRequest', error_code: 406, message: 'No.', data: {} };
  const sizes: unknown[] = [];
  answer = (_, { page, per_page }) => {
    if (page === 1) sizes.push(per_page);
    return Number(per_page) > 25 ? [406, invalid] : [200, { total_results: 1, data: [{ slug: 'a' }] }];
  };
  expect(await crawlListing(deps, { ctx, listing: 'tenders' }, FIRST)).toMatchObject({ entities: 1 });
  expect(sizes).toEqual([100, 50, 25]);
});

it('lands no quote of an answer about people that cannot be read', async () => {
  answer = (where) =>
    where.startsWith('/v1/finder/company/executives') ? [200, { people: [{ last_name: 'Marker' }] }] : undefined;
  due([1], 'executives');
  expect(await fetch(FIRST, 'executives')).toMatchObject({ failed: 1 });
  const bodies = landed('executives').map(({ body }) => body);
  expect(bodies).toEqual([expect.stringContaining('differs from the API reference')]);
  expect(bodies.join()).not.toContain('Marker');
});
