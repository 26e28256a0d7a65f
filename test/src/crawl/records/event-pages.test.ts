import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApiClient } from '../../../../src/api/index.js';
import { createClock } from '../../../../src/base/time/clock.js';
import { loadConfig } from '../../../../src/config/config.js';
import { createLog } from '../../../../src/config/log.js';
import { fetchChunk } from '../../../../src/crawl/chunks/fetch-chunk.js';
import type { CrawlDeps } from '../../../../src/crawl/records/deps.js';
import { openRun } from '../../../../src/crawl/run/open-run.js';
import { readRunRows } from '../../../../src/landing/index.js';
import { bookAttempt } from '../../../../src/landing/request-log.js';
import { makeProject, type Project } from '../../../helpers/project.js';
import { ALONE } from '../../../helpers/activity-inputs.js';
import { Data } from '../../../../src/store/data.js';

let server: Server;
let project: Project;
let deps: CrawlDeps;
let asked: string[];
let pages: number;

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    asked.push(new URL(request.url ?? '', 'http://api').searchParams.get('page') ?? '');
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ total_results: pages, pages, data: [{ event_type: `${asked.length}` }] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'a-key-of-this-test' };
  project = makeProject({ api, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: api.url, apiKey: api.key, onAttempt: bookAttempt });
  deps = { config, data: new Data(config.dataDir), client, clock: createClock({}), log: createLog('test') };
});

afterEach(async () => {
  await deps.client.close();
  server.closeAllConnections();
  server.close();
  project.remove();
});

/** Fetches the events of company 7 with a limit of requests. Returns the result, and the landed rows. */
async function fetchEvents(budget: number | null = null) {
  const ctx = openRun(deps.config, deps.clock, { workflowType: 'watchSync', workflowId: 'w', run: 'run-1', input: {} });
  const folder = path.join(project.dataDir, 'runs', 'run-1', 'due', 'watch_events');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'chunk-00000.json'), JSON.stringify([{ id: '7', reason: 'watched' }]));
  const heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
  const input = { ...ALONE, ctx, stream: 'watch_events' as const, chunk: 0, concurrency: null, budget };
  const result = await fetchChunk(deps, input, heartbeat);
  return { result, rows: readRunRows({ data: deps.data, stream: 'watch_events', run: ctx.run, date: ctx.date }) };
}

it('stops after 1,000 event pages of a company and reports it', async () => {
  pages = 1e9;
  const { result, rows } = await fetchEvents();
  expect(result).toMatchObject({ rows: 1_001, failed: 1 });
  expect(asked).toHaveLength(1_000);
  expect(rows.at(-2)).toMatchObject({ entity_id: '7', status: 0, body: expect.stringMatching(/1,000,000,000 pages/) });
  expect(rows.at(-1)).toMatchObject({ entity_id: '7', status: 200, row_kind: 'last-1000' });
});

it('requests no page again after an interruption', async () => {
  pages = 5;
  expect((await fetchEvents(3)).result).toMatchObject({ limited: true });
  const { result, rows } = await fetchEvents();
  expect(result).toMatchObject({ rows: 5, failed: 0, limited: false });
  expect(asked).toEqual(['1', '2', '3', '4', '5']);
  expect(rows.map(({ row_kind }) => row_kind)).toEqual(['page-1', 'page-2', 'page-3', 'page-4', 'last-5']);
});
