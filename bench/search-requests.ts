import { bookAttempt } from '../src/landing/request-log.js';
import { formatCount } from '../schemas/format.js';
import { createApiClient } from '../src/api/index.js';
import { createClock } from '../src/base/time/clock.js';
import { loadConfig } from '../src/config/config.js';
import { createLog } from '../src/config/log.js';
import { closeRun, landOpening } from '../src/crawl/run/close-run.js';
import type { CrawlDeps } from '../src/crawl/records/deps.js';
import { discoverMarket } from '../src/crawl/search/discover.js';
import { crawlListing } from '../src/crawl/chunks/crawl-listing.js';
import { openRun } from '../src/crawl/run/open-run.js';
import { startSandbox } from '../test/helpers/processes.js';
import { makeProject } from '../test/helpers/project.js';
import { control } from '../test/helpers/sandbox.js';
import { report } from './report/report.js';
import { measured, type Cell, type ResultTable } from './report/result.js';
import { Data } from '../src/store/data.js';

const PER_PAGE = 100;

// Ways to the companies without a value: version 1 with all its pages, a filter value that selects them, or none. Each
// has an `incorporation-null` policy of the sandbox.
const DOORS = { 'version 1': 'refuse', 'null filter': 'select', 'version 2 only': 'refuse' } as const;
type Door = keyof typeof DOORS;

const MARKETS = (process.env['SEARCH_COMPANIES'] ?? '10000,100000').split(',').map(Number);
const NIGHTS = ['first night', 'second night'];

/**
 * Measures requests ÷ full pages of complete searches over HTTP, for each way to the companies without a value.
 * `SEARCH_COMPANIES` lists the sizes of the markets.
 */
export async function benchSearchRequests(): Promise<void> {
  const rows: ResultTable['rows'] = [];
  for (const companies of MARKETS) {
    for (const door of Object.keys(DOORS) as Door[]) {
      rows.push({ name: `${formatCount(companies)}, ${door}`, cells: await measure(companies, door) });
    }
  }
  report({
    bench: 'search-requests',
    settings: { SEARCH_COMPANIES: MARKETS.join() },
    rounds: 1,
    tables: [
      {
        name: 'requests',
        columns: [`market, ${PER_PAGE} a page`, ...NIGHTS, 'companies missing', 'memory of the process'],
        rows,
      },
    ],
  });
}

async function measure(companies: number, door: Door): Promise<Cell[]> {
  const market = { companies, tenders: 0, seed: 7, 'max-per-page': PER_PAGE };
  const sandbox = await startSandbox({ ...market, 'incorporation-null': DOORS[door] });
  // Answers 403, as for a key without permission for version 1.
  if (door !== 'version 1')
    await control(sandbox, 'faults', { route: '/v1/finder/companies', kind: 'status', status: 403, times: 0 });
  const project = makeProject({ api: sandbox, temporal: 'none', config: { markets: [{ name: 'bench' }] } });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: sandbox.url, apiKey: sandbox.key, onAttempt: bookAttempt });
  const deps = { config, data: new Data(config.dataDir), client, clock: createClock({}), log: createLog('bench') };
  const perPage: number[] = [];
  let missingInAll = 0;
  for (const night of NIGHTS) {
    const { requests, companies: found, missing } = await search(deps, night);
    perPage.push(requests / Math.ceil(found / PER_PAGE));
    missingInAll += missing;
  }
  const memory = process.memoryUsage().rss / 2 ** 20;
  await client.close();
  await sandbox.stop();
  project.remove();
  return [...perPage.map((ratio) => ratio.toFixed(3)), measured([missingInAll], 'count'), measured([memory], 'MiB')];
}

async function search(deps: CrawlDeps, run: string): Promise<{ requests: number; companies: number; missing: number }> {
  const ctx = openRun(deps.config, deps.clock, {
    workflowType: 'marketSnapshot',
    workflowId: 'bench',
    run: run.replace(' ', '-'),
    input: {},
  });
  const heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
  await landOpening(deps, ctx);
  await crawlListing(deps, { ctx, listing: 'nomenclatures' }, heartbeat);
  let requests = 0;
  for (let round = 0; ; round++) {
    const result = await discoverMarket(deps, { ctx, round, budget: 500, concurrency: null }, heartbeat);
    requests += result.requests;
    if (!result.done) continue;
    await closeRun(deps, {
      ctx,
      outcome: 'complete',
      crawled: 'complete',
      note: null,
      heldBack: null,
      why: [],
      refused: [],
      landed: null,
    });
    return { requests, companies: result.distinctCompanies, missing: result.coverage?.missing ?? 0 };
  }
}
