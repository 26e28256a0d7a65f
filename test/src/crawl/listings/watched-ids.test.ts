import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiClient, type ApiClient } from '../../../../src/api/index.js';
import { readWatches } from '../../../../src/cli/watch/read-watches.js';
import { createClock } from '../../../../src/base/time/clock.js';
import { loadConfig } from '../../../../src/config/config.js';
import { createLog } from '../../../../src/config/log.js';
import { crawlListing } from '../../../../src/crawl/chunks/crawl-listing.js';
import { openRun } from '../../../../src/crawl/run/open-run.js';
import { makeProject, type Project } from '../../../helpers/project.js';
import { Data } from '../../../../src/store/data.js';

// Two pages; the first has no usable id.
const PAGES = [
  '[{"id":"c-1"},{"id":"c-2"}]',
  '[{"id":9007199254740993,"fields":["company.status"]},{"id":9007199254740992},{"id":"0007","name":"Seven"},{"id":7},{"id":"c-2"}]',
];
let server: Server;
let client: ApiClient;
let project: Project;

beforeAll(async () => {
  server = createServer((request, response) => {
    const page = Number(new URL(request.url ?? '/', 'http://api.invalid').searchParams.get('page') ?? 1);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(`{"total_results":5,"pages":2,"data":${PAGES[page - 1] ?? '[]'}}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  client = createApiClient({ baseUrl: url, apiKey: 'k' });
  project = makeProject({ api: { url, key: 'k' }, temporal: 'none' });
});

afterAll(async () => {
  await client?.close();
  server?.closeAllConnections();
  server?.close();
  project?.remove();
});

it('lists each watched company once, with every digit of its id', async () => {
  const watches = await readWatches(client);
  expect(watches.map(({ id }) => id).toSorted()).toEqual(['7', '9007199254740992', '9007199254740993']);
  expect(watches.find(({ id }) => id === '9007199254740993')?.fields).toEqual(['company.status']);
});

it('reads past a page of unusable watch ids and reports them', async () => {
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const deps = { config, data: new Data(config.dataDir), client, clock: createClock({}), log: createLog('test') };
  const ctx = openRun(config, deps.clock, { workflowType: 'watchSync', workflowId: 'w', run: 'r', input: {} });
  const heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
  const { entities, shortfall } = await crawlListing(deps, { ctx, listing: 'watched_companies' }, heartbeat);
  expect(entities).toBe(3);
  expect(shortfall).toBe(
    'The warehouse cannot store the ids of 2 watched companies, for example "c-1"; ops.rejects lists them.',
  );
});
