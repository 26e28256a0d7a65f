import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { formatCount } from '../schemas/format.js';
import { createApiClient } from '../src/api/index.js';
import { createClock } from '../src/base/time/clock.js';
import { loadConfig } from '../src/config/config.js';
import { createLog } from '../src/config/log.js';
import { crawlListing } from '../src/crawl/chunks/crawl-listing.js';
import { openRun } from '../src/crawl/run/open-run.js';
import { readManifests } from '../src/landing/index.js';
import { loadLanding } from '../src/warehouse/load/load.js';
import { openWarehouse } from '../src/warehouse/duckdb/open.js';
import { makeProject } from '../test/helpers/project.js';
import { report } from './report/report.js';
import { measured } from './report/result.js';
import { Data } from '../src/store/data.js';

const PER_PAGE = 100;
const DESCRIPTION = 'Works, supplies and services as the notice says. '.repeat(20);

/** Result of one crawl: numbers of tenders, Parquet parts and loaded tenders. */
export interface LongListing {
  tenders: number;
  parts: number;
  loaded: number;
  /** Peak memory of the process in MiB at the start, after the crawl and after the load. */
  peaks: [start: number, crawled: number, loaded: number];
}

/** Crawls and loads a list of `tenders` tenders from a correct server in the same process. */
export async function crawlLongListing(tenders: number): Promise<LongListing> {
  const server = createServer((request, response) => {
    void (async () => {
      const said = await text(request);
      const { page = 1 } = (said === '' ? {} : JSON.parse(said)) as { page?: number };
      const from = (page - 1) * PER_PAGE;
      const data = Array.from({ length: Math.max(0, Math.min(PER_PAGE, tenders - from)) }, (_, i) => ({
        slug: `tender-${from + i}`,
        title: `Tender ${from + i}`,
        description: DESCRIPTION,
        announced_date: '2026-11-01',
      }));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ total_results: tenders, data }));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'a-key-of-this-bench' };
  const project = makeProject({ api, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: api.url, apiKey: api.key });
  const deps = { config, data: new Data(config.dataDir), client, clock: createClock({}), log: createLog('bench') };
  const ctx = openRun(config, deps.clock, { workflowType: 'tenderSnapshot', workflowId: 'w', run: 'run-1', input: {} });
  const heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
  const start = peak();
  const { entities } = await crawlListing(deps, { ctx, listing: 'tenders' }, heartbeat);
  const crawled = peak();
  await client.close();
  server.closeAllConnections();
  server.close();
  const warehouse = await openWarehouse(new Data(project.dataDir));
  await loadLanding(warehouse, new Data(project.dataDir));
  const loaded = await warehouse.db.count('SELECT count(DISTINCT slug) FROM ledger.tender_sightings');
  await warehouse.close();
  const parts = readManifests(project.dataDir, { stream: 'tenders' }).length;
  project.remove();
  return { tenders: entities, parts, loaded, peaks: [start, crawled, peak()] };
}

/** Measures memory for a million tenders (10,000 pages). `LISTING_TENDERS` sets a different number. */
export async function benchLongListing(): Promise<void> {
  const asked = Number(process.env['LISTING_TENDERS'] ?? 1_000_000);
  const { tenders, parts, loaded, peaks } = await crawlLongListing(asked);
  if (loaded !== tenders) throw new Error(`${loaded} of ${tenders} tenders were loaded`);
  report({
    bench: 'long-listing',
    settings: { LISTING_TENDERS: asked },
    rounds: 1,
    tables: [
      {
        name: 'memory',
        columns: ['tenders', 'parts', 'peak memory at the start', 'after the crawl', 'after the load'],
        rows: [
          {
            name: formatCount(tenders),
            cells: [measured([parts], 'count'), ...peaks.map((mebibytes) => measured([mebibytes], 'MiB'))],
          },
        ],
      },
    ],
  });
}

function peak(): number {
  return Math.round(process.resourceUsage().maxRSS / 1024);
}
