import { bookAttempt } from '../src/ledger/request-log.js';
import { createApiClient } from '../src/api-client/index.js';
import { createClock } from '../src/core/clock.js';
import { loadConfig } from '../src/core/config.js';
import { createLog } from '../src/core/log.js';
import { closeRun, landOpening } from '../src/crawl/close-run.js';
import type { CrawlDeps } from '../src/crawl/deps.js';
import { discoverMarket } from '../src/crawl/discover.js';
import { crawlListing } from '../src/crawl/list.js';
import { openRun } from '../src/crawl/open-run.js';
import { startSandbox } from '../test/helpers/processes.js';
import { makeProject } from '../test/helpers/project.js';
import { control } from '../test/helpers/sandbox.js';

const PER_PAGE = 100;

/** Requests ÷ full pages of whole searches over HTTP: through version 1, and where only version 2 is open. */
export async function benchSearchRequests(): Promise<void> {
  for (const companies of [10_000, 100_000]) {
    for (const v1 of [true, false]) await measure(companies, v1);
  }
}

async function measure(companies: number, v1: boolean): Promise<void> {
  const sandbox = await startSandbox({ companies, tenders: 0, seed: 7, 'max-per-page': PER_PAGE });
  // As for a key that may not use version 1.
  if (!v1) await control(sandbox, 'faults', { route: '/v1/finder/companies', kind: 'status', status: 403, times: 0 });
  const project = makeProject({ api: sandbox, temporal: 'none', config: { markets: [{ name: 'bench' }] } });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: sandbox.url, apiKey: sandbox.key, onAttempt: bookAttempt });
  const deps = { config, client, clock: createClock({}), log: createLog('bench') };
  for (const night of ['first night', 'second night']) {
    const { requests, companies: found, missing } = await search(deps, night);
    const pages = Math.ceil(found / PER_PAGE);
    const heap = Math.round(process.memoryUsage().rss / 2 ** 20);
    process.stdout.write(
      `  ${`${companies} companies, ${v1 ? 'version 1 open' : 'version 2 only'}, ${night}`.padEnd(52)} ${requests} requests ÷ ${pages} pages = ${(requests / pages).toFixed(3)}, missing ${missing}, ${heap} MiB\n`,
    );
  }
  await client.close();
  await sandbox.stop();
  project.remove();
}

async function search(deps: CrawlDeps, run: string): Promise<{ requests: number; companies: number; missing: number }> {
  const ctx = openRun(deps.config, deps.clock, {
    workflowType: 'marketSnapshot',
    workflowId: 'bench',
    run: run.replace(' ', '-'),
    input: {},
  });
  const pulse = { beat: () => undefined, signal: new AbortController().signal, attempt: 1 };
  await landOpening(deps, ctx);
  await crawlListing(deps, { ctx, listing: 'nomenclatures' }, pulse);
  let requests = 0;
  for (let round = 0; ; round++) {
    const result = await discoverMarket(deps, { ctx, round, budget: 500, concurrency: null }, pulse);
    requests += result.requests;
    if (!result.done) continue;
    await closeRun(deps, { ctx, outcome: 'complete', note: null, heldBack: null });
    return { requests, companies: result.distinctCompanies, missing: result.coverage?.missing ?? 0 };
  }
}
