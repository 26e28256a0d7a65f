import { afterEach, expect, it } from 'vitest';
import { createApiClient } from '../../../src/api-client/index.js';
import { createClock } from '../../../src/core/clock.js';
import { loadConfig } from '../../../src/core/config.js';
import { createLog } from '../../../src/core/log.js';
import { discoverMarket } from '../../../src/crawl/search/discover.js';
import { openRun } from '../../../src/crawl/run/open-run.js';
import { readRunRows } from '../../../src/landing/index.js';
import { startSandbox, type RunningSandbox } from '../../helpers/processes.js';
import { makeProject, type Project } from '../../helpers/project.js';
import { control } from '../../helpers/sandbox.js';

let sandbox: RunningSandbox;
let project: Project;

afterEach(async () => {
  await sandbox.stop();
  project.remove();
});

/** Searches a market without lookup lists and version 1, so that dates are nearly the only dimension. */
async function search(flags: Record<string, string | number>) {
  sandbox = await startSandbox({ companies: 1_500, tenders: 0, seed: 3, 'max-per-page': 10, ...flags });
  await control(sandbox, 'faults', { route: '/v1/finder/companies', kind: 'status', status: 403, times: 0 });
  project = makeProject({ api: sandbox, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: sandbox.url, apiKey: sandbox.key });
  const deps = { config, client, clock: createClock({}), log: createLog('test') };
  const ctx = openRun(config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'r', input: {} });
  const heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
  const { coverage } = await discoverMarket(deps, { ctx, round: 0, budget: 5_000, concurrency: 8 }, heartbeat);
  await client.close();
  const rows = readRunRows({ dataDir: project.dataDir, stream: 'prospecting', run: 'r', date: ctx.date });
  const guesses = rows.filter(({ request_key }) => request_key.includes('"company_incorporation":null'));
  return { coverage, requests: rows.length, guesses };
}

it('finds companies without a date by null where the API supports it', async () => {
  const { coverage, guesses } = await search({ 'incorporation-null': 'select' });
  expect(coverage).toMatchObject({ missing: 0, share: 1 });
  expect(guesses.length).toBeGreaterThan(1);
  expect(guesses.every(({ status }) => status === 200)).toBe(true);
});

it.each(['refuse', 'ignore'])('tries null as date only once if the API would %s it', async (meaning) => {
  const { coverage, guesses } = await search({ 'incorporation-null': meaning });
  expect(guesses).toHaveLength(1);
  expect((coverage?.distinctCompanies ?? 0) + (coverage?.missing ?? 0)).toBe(coverage?.reportedTotal);
});
