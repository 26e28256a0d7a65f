import { createApiClient } from '../src/api-client/index.js';
import { createClock } from '../src/core/clock.js';
import { loadConfig } from '../src/core/config.js';
import { createLog } from '../src/core/log.js';
import { discoverMarket } from '../src/crawl/discover.js';
import { crawlListing } from '../src/crawl/list.js';
import { openRun } from '../src/crawl/open-run.js';
import { bookAttempt } from '../src/ledger/request-log.js';
import { startSandbox } from '../test/helpers/processes.js';
import { makeProject } from '../test/helpers/project.js';

const PER_PAGE = 100;

/** Requests that enumerating a market costs, against the pages its companies fill; cold, over HTTP. */
export async function benchSearchRequests(): Promise<void> {
  process.stdout.write(`search-requests: cold, ${PER_PAGE} a page, sandbox seed 7\n`);
  for (const companies of [10_000, 100_000]) {
    for (const filters of [{}, { company_status: [199] }]) await measure(companies, filters);
  }
}

async function measure(companies: number, filters: Record<string, unknown>): Promise<void> {
  const sandbox = await startSandbox({ companies, tenders: 0, seed: 7, 'max-per-page': PER_PAGE });
  const project = makeProject({ api: sandbox, temporal: 'none', config: { markets: [{ name: 'bench', filters }] } });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: sandbox.url, apiKey: sandbox.key, onAttempt: bookAttempt });
  const deps = { config, client, clock: createClock({}), log: createLog('bench') };
  const ctx = openRun(config, deps.clock, {
    workflowType: 'marketSnapshot',
    workflowId: 'bench',
    run: 'bench',
    input: {},
  });
  const pulse = { beat: () => undefined, signal: new AbortController().signal, attempt: 1 };
  await crawlListing(deps, { ctx, listing: 'nomenclatures' }, pulse);
  let requests = 0;
  for (let round = 0; ; round++) {
    const result = await discoverMarket(deps, { ctx, round, budget: 500, concurrency: null }, pulse);
    requests += result.requests;
    if (!result.done) continue;
    const pages = Math.ceil(result.distinctCompanies / PER_PAGE);
    const market = `${companies} companies ${JSON.stringify(filters)}`;
    process.stdout.write(
      `  ${market.padEnd(42)} ${requests} requests ÷ ${pages} pages = ${(requests / pages).toFixed(2)}, missing ${result.coverage?.missing}\n`,
    );
    break;
  }
  await client.close();
  await sandbox.stop();
  project.remove();
}
