import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createApiClient } from '../../../../src/api/index.js';
import { loadConfig } from '../../../../src/config/config.js';
import { quotaRead } from '../../../../src/base/observed.js';
import { createLog } from '../../../../src/config/log.js';
import type { CrawlDeps } from '../../../../src/crawl/records/deps.js';
import { openRun } from '../../../../src/crawl/run/open-run.js';
import { readQuota } from '../../../../src/crawl/read-quota.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { addQuotaMetrics } from '../../../../src/serve/metrics/quota.js';
import { createRegistry } from '../../../../src/serve/metrics/registry.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { makeProject, type Project } from '../../../helpers/project.js';
import { openTestWarehouse } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
const START = Date.parse('2026-11-21T02:00:00Z');
/** The answer of /v2/metrics, as text. */
let metrics: string;
let minutes: number;
let server: Server;
let project: Project;
let deps: CrawlDeps;

beforeEach(async () => {
  minutes = 0;
  server = createServer((_request, response) => void response.end(metrics)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'a-key-of-this-test' };
  project = makeProject({ api, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const now = (): Date => new Date(START + minutes * 60_000);
  const client = createApiClient({ baseUrl: api.url, apiKey: api.key, maxRetries: 0, now });
  deps = { config, data: new Data(config.dataDir), client, clock: { now }, log: createLog('test') };
});

afterEach(async () => {
  await deps.client.close();
  server.closeAllConnections();
  server.close();
  project.remove();
});

/** Reads the quota once in each minute. */
async function read(answers: readonly string[]): Promise<Awaited<ReturnType<typeof readQuota>>[]> {
  const found = [];
  for (const answer of answers) {
    metrics = answer;
    minutes++;
    const run = `run-${minutes}`;
    const ctx = openRun(deps.config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run, input: {} });
    found.push(await readQuota(deps, ctx, heartbeat));
  }
  return found;
}

const daily = (used: unknown, total: unknown): string => {
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  return `[{"codename":"daily","metrics":[{"codename":"daily_calls","used":${text(used)},"total":${text(total)}}]}]`;
};

async function built(): Promise<Record<string, unknown>[]> {
  const warehouse = await openTestWarehouse(project.dataDir);
  await loadLanding(warehouse, new Data(project.dataDir));
  await buildModels(warehouse);
  return warehouse.db.rows(
    'SELECT count(*)::INTEGER AS readings, max(length(metric))::INTEGER AS longest FROM ops.quota',
  );
}

it.each<[unknown, unknown, { known: boolean; open: boolean }]>([
  [1, 10, { known: true, open: true }],
  [10, 10, { known: true, open: false }],
  [0.5, 10, { known: true, open: true }],
  ['"7"', '"10"', { known: true, open: true }],
  [null, null, { known: false, open: true }],
  [-5, 10, { known: false, open: true }],
  [5, -10, { known: false, open: true }],
  ['1e308', 10, { known: false, open: true }],
  [5, '1e308', { known: false, open: true }],
  ['1e999', 10, { known: false, open: true }],
  [`"${'9'.repeat(400)}"`, 10, { known: false, open: true }],
  [9_300_000_000_000_000_000, 10, { known: false, open: true }],
])('reads a daily metric with %j of %j as %j', async (used, total, expected) => {
  expect((await read([daily(used, total)]))[0]).toMatchObject(expected);
});

it('builds the tables after readings that no 64 bits hold', async () => {
  const most = 9_223_372_036_854_774_000;
  await read([daily(most, most), daily(0, most), daily(most, most), daily(0, most), daily(most, most), daily(7, 10)]);
  expect(await built()).toEqual([{ readings: 1, longest: 11 }]);
});

it('keeps a hundred metrics of a reading, with short names', async () => {
  const names = Array.from({ length: 5_000 }, (_, i) => ({
    codename: `${i}_${'n'.repeat(1_000)}`,
    used: 1,
    total: 2,
  }));
  await read([JSON.stringify([{ codename: 'daily', metrics: names }])]);
  expect(await built()).toEqual([{ readings: 100, longest: 100 }]);
});

it('shows the last hundred metrics, though each reading has other names', async () => {
  const registry = createRegistry();
  addQuotaMetrics(registry, project.dataDir, 'environment');
  for (let i = 0; i < 1_000; i++)
    quotaRead.report({ metric: `m${i}`, used: 1, total: 2, readAt: '2026-11-21T02:00:00Z' });
  const shown = (await registry.metrics()).match(/^tidemark_quota_\w+\{.*metric="m\d+"/gm) ?? [];
  expect(shown.length).toBe(400);
  expect(shown.every((line) => /metric="m9\d\d"/.test(line))).toBe(true);
});
