import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { createApiClient } from '../../../src/api/index.js';
import { createClock } from '../../../src/base/time/clock.js';
import { loadConfig } from '../../../src/config/config.js';
import { createLog } from '../../../src/config/log.js';
import type { CrawlDeps, Heartbeat } from '../../../src/crawl/records/deps.js';
import { crawlListing } from '../../../src/crawl/chunks/crawl-listing.js';
import { openRun } from '../../../src/crawl/run/open-run.js';
import { readQuota } from '../../../src/crawl/read-quota.js';
import { readRunRows } from '../../../src/landing/index.js';
import { makeProject, type Project } from '../../helpers/project.js';
import { Data } from '../../../src/store/data.js';

const KEY = 'a-key-of-this-test';
const TENDERS = 250;
const EARLY: Heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 3 };
const LATE: Heartbeat = { ...EARLY, attempt: 4 };

let server: Server;
let project: Project;
let deps: CrawlDeps;
let ctx: RunContext;
/** Requests that always answer 500: a path, or `tenders` and a page. */
let silent: Set<string>;
/** Number of tenders on a page. */
let perPage: number;

beforeEach(async () => {
  silent = new Set();
  perPage = 100;
  server = createServer((request, response) => {
    void (async () => {
      const said = await text(request);
      const [path = ''] = (request.url ?? '').split('?');
      const { page = 1 } = (said === '' ? {} : JSON.parse(said)) as { page?: number };
      const what = path === '/v1/finder/tenders' ? `tenders ${page}` : path;
      const fails = silent.has(what) || silent.has('all');
      response.writeHead(fails ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(fails ? { detail: 'Internal failure.' } : answer(path, page)));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: KEY };
  project = makeProject({ api, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: api.url, apiKey: KEY, retryBaseMs: 1, retryCapMs: 2, maxRetries: 1 });
  deps = { config, data: new Data(config.dataDir), client, clock: createClock({}), log: createLog('test') };
  ctx = openRun(config, deps.clock, { workflowType: 'tenderSnapshot', workflowId: 'w', run: 'run-1', input: {} });
});

afterEach(async () => {
  await deps.client.close();
  server.closeAllConnections();
  server.close();
  project.remove();
});

function answer(path: string, page: number): unknown {
  if (path !== '/v1/finder/tenders') return path.endsWith('/nomenclatures') ? {} : [];
  const first = (page - 1) * perPage;
  const slugs = Array.from({ length: Math.max(0, Math.min(perPage, TENDERS - first)) }, (_, i) => `t-${first + i}`);
  return { pages: 3, page, total_results: TENDERS, data: slugs.map((slug) => ({ slug })) };
}

const landed = (stream: 'tenders' | 'nomenclatures') =>
  readRunRows({ data: new Data(project.dataDir), stream, run: ctx.run, date: ctx.date });

it('reports a failing lookup list, lands the others, and reads only this list in the next run', async () => {
  silent.add('/v1/finder/tenders/donors');
  const read = () => crawlListing(deps, { ctx, listing: 'nomenclatures' }, EARLY);
  expect(await read()).toMatchObject({
    entities: 2,
    shortfall: expect.stringMatching(/could not be read: donors: /),
  });
  expect(landed('nomenclatures').map(({ entity_id, status }) => [entity_id, status])).toEqual([
    ['v1', 200],
    ['tenders', 200],
    ['donors', 500],
  ]);
  silent.clear();
  ctx = { ...ctx, run: 'run-2' };
  expect(await read()).toMatchObject({ rows: 1, entities: 1, shortfall: null });
  expect(landed('nomenclatures').map(({ entity_id }) => entity_id)).toEqual(['donors']);
});

it('keeps retrying the lookup lists while the API answers nothing, and keeps the lists that it read', async () => {
  const read = (heartbeat: Heartbeat) => crawlListing(deps, { ctx, listing: 'nomenclatures' }, heartbeat);
  for (const route of ['/v1/finder/tenders/donors', '/v1/finder/tenders/nomenclatures', '/v2/metrics'])
    silent.add(route);
  silent.add('/v1/finder/nomenclatures');
  await expect(read(LATE)).rejects.toThrow(/Internal failure/);
  expect(landed('nomenclatures')).toEqual([]);
  silent.clear();
  expect(await read(LATE)).toMatchObject({ entities: 3, shortfall: null });
});

it.each([
  [['tenders 2'], 150, /page 2 of the tenders: 100 of 250 are missing/],
  [['tenders 3'], 200, /page 3 of the tenders: 50 of 250/],
  [['tenders 1'], 0, /page 1 of the tenders\. The next run/],
])('reads other pages of a listing without %s and reports the gap', async (pages, entities, said) => {
  for (const page of pages) silent.add(page);
  const read = (heartbeat: Heartbeat) => crawlListing(deps, { ctx, listing: 'tenders' }, heartbeat);
  await expect(read(EARLY)).rejects.toThrow(/Internal failure/);
  expect(landed('tenders')).toEqual([]);
  expect(await read(LATE)).toMatchObject({ entities, shortfall: expect.stringMatching(said) });
  expect(landed('tenders').filter(({ status }) => status === 500)).toHaveLength(1);
});

it('reads a listing with short pages to its end, without the page that never answers', async () => {
  silent.add('tenders 2');
  perPage = 50;
  const { entities, shortfall } = await crawlListing(deps, { ctx, listing: 'tenders' }, LATE);
  expect([entities, shortfall]).toEqual([200, expect.stringMatching(/page 2 of the tenders: 50 of 250 are missing/)]);
});

it('keeps retrying a listing while the API answers nothing else', async () => {
  silent.add('all');
  await expect(crawlListing(deps, { ctx, listing: 'tenders' }, LATE)).rejects.toThrow(/Internal failure/);
  expect(landed('tenders')).toEqual([]);
});

it('retries failing metrics, then continues without a quota figure', async () => {
  silent.add('/v2/metrics');
  await expect(readQuota(deps, ctx, { ...EARLY, attempt: 5 })).rejects.toThrow(/Internal failure/);
  expect(await readQuota(deps, ctx, { ...LATE, attempt: 6 })).toMatchObject({
    known: false,
    open: true,
    fault: expect.stringMatching(/daily quota could not be read/),
  });
});
