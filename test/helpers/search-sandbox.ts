import { createApiClient } from '../../src/api/index.js';
import { createClock } from '../../src/base/time/clock.js';
import { loadConfig } from '../../src/config/config.js';
import { createLog } from '../../src/config/log.js';
import { discoverMarket } from '../../src/crawl/search/discover.js';
import { openRun } from '../../src/crawl/run/open-run.js';
import { readQuota } from '../../src/crawl/read-quota.js';
import { readRunRows } from '../../src/landing/index.js';
import { startSandbox } from './processes.js';
import { makeProject } from './project.js';
import { Data } from '../../src/store/data.js';

/**
 * Searches the market of a new sandbox, ten a page, without lookup lists and version 1's listing. So dates are nearly the only
 * dimension.
 * @param flags of the sandbox
 * @param market settings of the market
 * @returns the coverage, and the landed pages
 */
export async function searchSandbox({
  flags,
  market = {},
}: {
  flags: Record<string, string | number>;
  market?: Record<string, unknown>;
}) {
  const sandbox = await startSandbox({ tenders: 0, 'max-per-page': 10, 'v1-page-cap': 10, ...flags });
  const project = makeProject({ api: sandbox, temporal: 'none', config: { markets: [{ name: 'demo', ...market }] } });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: sandbox.url, apiKey: sandbox.key });
  try {
    const deps = {
      config,
      data: new Data(config.dataDir),
      client,
      clock: createClock({}),
      log: createLog('test'),
    };
    const ctx = openRun(config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'r', input: {} });
    const heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
    await readQuota(deps, ctx, heartbeat, 'ends');
    const { coverage } = await discoverMarket(deps, { ctx, round: 0, budget: 5_000, concurrency: 8 }, heartbeat);
    const rows = readRunRows({ data: new Data(project.dataDir), stream: 'prospecting', run: 'r', date: ctx.date });
    return { coverage, rows };
  } finally {
    await client.close();
    await sandbox.stop();
    project.remove();
  }
}
