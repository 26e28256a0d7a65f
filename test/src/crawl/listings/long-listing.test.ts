import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import { createApiClient } from '../../../../src/api/index.js';
import { createClock } from '../../../../src/base/time/clock.js';
import { loadConfig } from '../../../../src/config/config.js';
import { createLog } from '../../../../src/config/log.js';
import type { CrawlDeps, Heartbeat } from '../../../../src/crawl/records/deps.js';
import { crawlListing } from '../../../../src/crawl/chunks/crawl-listing.js';
import { openRun } from '../../../../src/crawl/run/open-run.js';
import { adoptSpools, ListingWriter, PartWriter, readManifests, readRunRows } from '../../../../src/landing/index.js';
import { cleanEnv, ROOT } from '../../../helpers/processes.js';
import { makeProject, type Project } from '../../../helpers/project.js';
import { Data } from '../../../../src/store/data.js';

const PER_PAGE = 10;
// `npm run test:long` takes 30,000.
const LONG = Number(process.env['LONG_LISTING'] ?? 10_000);
const PULSE: Heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };

let server: Server;
let project: Project;
let deps: CrawlDeps;
let ctx: RunContext;
let pages: number;
/** The listing's stated total, and how many entries it has. */
let listing: { total: unknown; lists: number };

beforeEach(async () => {
  pages = 0;
  listing = { total: 100, lists: 100 };
  server = createServer((request, response) => {
    void (async () => {
      const said = await text(request);
      const { page = 1 } = (said === '' ? {} : JSON.parse(said)) as { page?: number };
      pages += 1;
      const first = (page - 1) * PER_PAGE;
      const length = Math.max(0, Math.min(PER_PAGE, listing.lists - first));
      const data = Array.from({ length }, (_, i) => ({ slug: `t-${first + i}` }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ total_results: listing.total, data }));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'a-key-of-this-test' };
  project = makeProject({ api, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: api.url, apiKey: api.key });
  deps = { config, data: new Data(config.dataDir), client, clock: createClock({}), log: createLog('test') };
  ctx = openRun(config, deps.clock, { workflowType: 'tenderSnapshot', workflowId: 'w', run: 'run-1', input: {} });
});

afterEach(async () => {
  await deps.client.close();
  server.closeAllConnections();
  server.close();
  project.remove();
});

const crawl = () => crawlListing(deps, { ctx, listing: 'tenders' }, PULSE);
const target = () => ({
  data: new Data(project.dataDir),
  stream: 'tenders' as const,
  run: ctx.run,
  date: ctx.date,
  market: ctx.market,
  chunk: 'tenders',
});
const landed = () => readRunRows(target()).flatMap(({ body }) => (JSON.parse(body) as { data: unknown[] }).data);

it('stops an endless listing soon after its total and reports it', async () => {
  listing.lists = Infinity;
  // The stated total grows with each page.
  listing.total = 100;
  server.on('request', () => void (listing.total = (Number(listing.total) || 0) + 1_000));
  const { shortfall } = await crawl();
  expect(pages).toBeLessThan(200);
  expect(shortfall).toMatch(/listing of tenders gave a total of [\d,]+, but page [\d,]+ still had new entries/);
});

it.each([
  ['less than its pages list', 30, 75],
  ['as many as its full pages hold', 70, 75],
])('reads to the end of a listing with %s as total', async (_what, total, lists) => {
  listing = { total, lists };
  expect(await crawl()).toMatchObject({ entities: lists });
  expect(landed()).toHaveLength(lists);
});

it('lands a long listing in several parts at once', async () => {
  listing = { total: 4_045, lists: 4_045 };
  expect(await crawl()).toMatchObject({ rows: 405, entities: 4_045, shortfall: null });
  const parts = readManifests(project.dataDir, { stream: 'tenders' }).map(({ chunk }) => chunk);
  expect(parts).toEqual([0, 1, 2, 3].map((part) => `tenders-0000${part}`).concat('tenders'));
  expect(new Set(landed().map((entry) => (entry as { slug: string }).slug)).size).toBe(4_045);
  // The listing is complete, so nothing is requested again.
  const before = pages;
  expect(await crawl()).toMatchObject({ rows: 0 });
  expect(pages).toBe(before);
});

it('lands nothing of a listing that was not read to its end', async () => {
  listing = { total: 4_050, lists: 4_050 };
  const stop = new AbortController();
  server.on('request', () => void (pages > 300 && stop.abort()));
  await expect(crawlListing(deps, { ctx, listing: 'tenders' }, { ...PULSE, signal: stop.signal })).rejects.toThrow(
    /abort/i,
  );
  expect(readManifests(project.dataDir, { stream: 'tenders' })).toEqual([]);
  await adoptSpools(target());
  expect(landed()).toEqual([]);
  expect(await crawl()).toMatchObject({ entities: 4_050 });
  expect(landed()).toHaveLength(4_050);
});

it('resumes the commits of a listing after a kill', async () => {
  const writer = await ListingWriter.open(target());
  for (let page = 0; page < 250; page++) {
    const body = JSON.stringify({ total_results: 250, data: [{ slug: `t-${page}` }] });
    const row = { request_key: `k-${page}`, entity_id: null, row_kind: `page-${page}`, status: 200, body };
    await writer.append({ ...row, fetched_at: '2026-11-20T00:00:00.000Z' });
  }
  await writer.close();
  // State after a kill between two commits: the listing is complete and one of its parts has landed.
  const folder = path.join(project.dataDir, 'landing', 'tenders', `date=${ctx.date}`, `run=${ctx.run}`);
  writeFileSync(path.join(folder, '_spool', 'complete-tenders.json'), '{"parts":3}');
  await (await PartWriter.open({ ...target(), chunk: 'tenders-00000' })).commit();
  expect(await crawl()).toMatchObject({ rows: 0, requests: 0 });
  expect(pages).toBe(0);
  expect(new Set(landed().map((entry) => (entry as { slug: string }).slug)).size).toBe(250);
  expect(readdirSync(path.join(folder, '_spool'))).toEqual([]);
});

it(`crawls and loads ${LONG} tenders in constant memory`, () => {
  // In its own process, because the memory of a process is measured.
  const script = `const { crawlLongListing } = await import('./bench/long-listing.ts');
    process.stdout.write(JSON.stringify(await crawlLongListing(${LONG})));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    cwd: ROOT,
    env: cleanEnv({ TIDEMARK_WAREHOUSE_MEMORY: '1000MB' }),
    encoding: 'utf8',
  });
  expect(stdout, stderr).toMatch(/^\{/);
  const { tenders, loaded, parts, peaks } = JSON.parse(stdout) as {
    tenders: number;
    loaded: number;
    parts: number;
    peaks: [number, number, number];
  };
  console.log(`peak memory: ${peaks.join(', ')} MiB`);
  expect({ tenders, loaded, parts }).toEqual({ tenders: LONG, loaded: LONG, parts: LONG / 10_000 + 1 });
  expect(peaks[1] - peaks[0]).toBeLessThan(400);
}, 120_000);
