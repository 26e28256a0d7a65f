import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FetchedStreamName } from '../../../schemas/streams/streams.js';
import { createApiClient } from '../../../src/api/index.js';
import { createClock } from '../../../src/base/time/clock.js';
import { loadConfig } from '../../../src/config/config.js';
import { createLog } from '../../../src/config/log.js';
import { crawlListing } from '../../../src/crawl/chunks/crawl-listing.js';
import { fetchChunk } from '../../../src/crawl/chunks/fetch-chunk.js';
import type { CrawlDeps, Heartbeat } from '../../../src/crawl/records/deps.js';
import { openRun } from '../../../src/crawl/run/open-run.js';
import { readRunRows } from '../../../src/landing/index.js';
import { bookAttempt } from '../../../src/landing/request-log.js';
import { Data } from '../../../src/store/data.js';
import { ALONE } from '../../helpers/activity-inputs.js';
import { makeProject, type Project } from '../../helpers/project.js';

/* Chunks and listings of which an earlier attempt has landed a part, by a server that is no sandbox. */

const KEY = 'a-key-of-this-test';
const HEARTBEAT: Heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 9 };

let server: Server;
let project: Project;
let deps: CrawlDeps;
let ctx: ReturnType<typeof openRun>;
let asked: string[];
let answer: (url: string) => [status: number, body: unknown];

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    if (request.url !== '/v2/metrics') asked.push(request.url ?? '');
    const [status, body] = request.url === '/v2/metrics' ? [200, []] : answer(request.url ?? '');
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  project = makeProject({ api: { url, key: KEY }, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: url, apiKey: KEY, onAttempt: bookAttempt, maxRetries: 0 });
  deps = { config, data: new Data(config.dataDir), client, clock: createClock({}), log: createLog('test') };
  ctx = openRun(config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'run-1', input: {} });
});
afterEach(async () => {
  await deps.client.close();
  server.close();
  project.remove();
});

async function fetchOne(stream: FetchedStreamName, ids: string[], budget: number | null = null) {
  const folder = path.join(project.dataDir, 'runs', 'run-1', 'due', stream);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'chunk-00000.json'), JSON.stringify(ids.map((id) => ({ id, reason: 'new' }))));
  return fetchChunk(deps, { ...ALONE, ctx, stream, chunk: 0, concurrency: 1, budget }, HEARTBEAT);
}

const kinds = (stream: FetchedStreamName | 'tenders') =>
  readRunRows({ data: deps.data, stream, run: 'run-1', date: ctx.date }).map(({ row_kind }) => row_kind);

it.each([3, '3'])(
  'reads all pages of an entity with one request in each attempt, if the API writes %j pages',
  async (pages) => {
    answer = () => [200, { data: [{ event_type: 'officer.email', message: 'a' }], total_results: 3, pages }];
    let result = await fetchOne('watch_events', ['7'], 1);
    for (let attempt = 1; result.limited && attempt < 9; attempt++) result = await fetchOne('watch_events', ['7'], 1);
    expect(result).toMatchObject({ limited: false, failed: 0 });
    expect(asked.map((url) => new URL(url, 'http://api').searchParams.get('page'))).toEqual(['1', '2', '3']);
    expect(kinds('watch_events')).toEqual(['page-1', 'page-2', 'last-3']);
  },
);

it('counts the failed records of a committed chunk whose result was not reported', async () => {
  answer = (url) => (url.endsWith('/2') ? [500, { detail: 'Internal failure.' }] : [200, { id: 1, name: 'A' }]);
  expect(await fetchOne('companies', ['1', '2'])).toMatchObject({ rows: 2, failed: 1 });
  expect(await fetchOne('companies', ['1', '2'])).toMatchObject({ rows: 2, failed: 1, requests: 0 });
});

it('names the pages without an answer of a listing whose result was not reported', async () => {
  const tenders = Array.from({ length: 10 }, (_, i) => ({ slug: `t-${i}` }));
  answer = () =>
    asked.length % 3 === 1
      ? [200, { data: tenders, total_results: 25 }]
      : asked.length % 3 === 2
        ? [400, { page: ['No.'] }]
        : [200, { data: [], total_results: 25 }];
  const first = await crawlListing(deps, { ctx, listing: 'tenders' }, HEARTBEAT);
  expect(first.shortfall).toMatch(/did not answer for page 2 /);
  const { shortfall, requests } = await crawlListing(deps, { ctx, listing: 'tenders' }, HEARTBEAT);
  expect({ shortfall, requests }).toMatchObject({
    shortfall: expect.stringMatching(/did not answer for page 2 /),
    requests: 0,
  });
});

it('leaves only the valid file of a part, if an earlier attempt was killed before its manifest', async () => {
  answer = () => [200, { id: 1, name: 'A' }];
  const folder = path.join(project.dataDir, 'landing', 'companies', `date=${ctx.date}`, 'run=run-1');
  mkdirSync(folder, { recursive: true });
  for (const name of ['part-companies-00000.0123456789ab.parquet', 'part-companies-00000.parquet'])
    writeFileSync(path.join(folder, name), 'written by a killed attempt');
  writeFileSync(path.join(folder, 'part-companies-00001.parquet'), 'of another chunk');
  await fetchOne('companies', ['1']);
  expect(kinds('companies')).toEqual(['record']);
  const parts = readdirSync(folder).filter((name) => name.endsWith('.parquet'));
  expect(parts).toHaveLength(2);
  expect(parts).toContain('part-companies-00001.parquet');
});
