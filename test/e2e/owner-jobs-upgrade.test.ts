import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { afterEach, expect, it } from 'vitest';
import { ensureTemporalCli } from '../../bootstrap/temporal.mjs';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { Supervised } from '../chaos/supervised.js';
import { cleanEnv } from '../helpers/processes.js';
import { makeProject } from '../helpers/project.js';
import { startRecordingProxy } from '../helpers/recording-proxy.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startTarget } from '../helpers/target.js';
import { startUpgradedWorker } from '../helpers/upgraded-worker.js';

const INTERVAL_MS = 2_000;
const POLL = /^GET \/v2\/kyb\/[^/]+\/ubo\/enrich\//;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

it('polls jobs of six hours at most once per interval, across a new version of the worker and a restart of Temporal', async () => {
  const api = await startTarget({ companies: 60, tenders: 0, seed: 5, maxPerPage: 25 });
  const proxy = await startRecordingProxy(api.url);
  cleanups.push(
    () => api.stop(),
    () => proxy.close(),
  );
  const { temporal, address, client } = await startOwnTemporal();
  const project = makeProject({
    api: { url: proxy.url, key: api.key },
    temporal: address,
    config: {
      personalData: 'contacts',
      markets: [{ name: 'demo', streams: ['companies', 'ownership'] }],
      ownership: { enrich: true },
    },
    ownerPollSeconds: INTERVAL_MS / 1_000,
  });
  cleanups.push(() => project.remove());
  const polls = (): number[] => [...proxy.times].flatMap(([what, times]) => (POLL.test(what) ? times : []));
  const jobs = api.inconclusiveOwners();

  const old = await project.startWorker();
  cleanups.push(() => old.stop());
  const start = { taskQueue: 'tidemark-crawl', workflowId: 'snapshot/demo/first', args: [{ market: 'demo' }] };
  const night = (await client.workflow.execute('marketSnapshot', start)) as RunResult;
  expect(night.outcome).toBe('complete');
  const enrichment = client.workflow.getHandle(`owners/demo/${night.date}`);
  await waitUntil('every job is polled', async () => polls().length >= jobs);

  await old.stop();
  const upgraded = await startUpgradedWorker(project.env, INTERVAL_MS / 1_000);
  cleanups.push(() => upgraded.stop());
  const atUpgrade = polls().length;
  await waitUntil('the new version polls', async () => polls().length >= atUpgrade + jobs);
  await temporal.strike('SIGKILL');
  const atRestart = polls().length;
  await waitUntil('jobs are polled after the restart', async () => polls().length >= atRestart + jobs);
  await api.advanceJobs(7);

  expect(await enrichment.result()).toMatchObject({ outcome: 'complete', rejects: 0 });
  await api.expectOwnersEqualTruth(project, true);
  expect(await api.requests('POST /v2/kyb/{id}/ubo/enrich')).toBe(jobs);
  // The timer of an interval starts after the polls of the one before, so two polls of a job are never closer.
  const gaps = [...proxy.times]
    .filter(([what]) => POLL.test(what))
    .flatMap(([, times]) => times.slice(1).map((time, i) => time - times[i]!));
  expect(gaps.length).toBeGreaterThan(3 * jobs - 1);
  expect(gaps.filter((gap) => gap < INTERVAL_MS / 2)).toEqual([]);
});

/** A Temporal server with a database file, which is started again after it is killed. */
async function startOwnTemporal(): Promise<{ temporal: Supervised; address: string; client: Client }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-upgrade-'));
  const { path: command } = await ensureTemporalCli({ log: () => undefined });
  const port = 20_000 + (process.pid % 20_000);
  const address = `127.0.0.1:${port}`;
  const attributes = ['TidemarkMarket=Keyword', 'TidemarkDate=Keyword'].flatMap((one) => ['--search-attribute', one]);
  const database = ['--db-filename', path.join(folder, 'temporal.db')];
  const temporal = new Supervised('Temporal', {
    command,
    args: ['server', 'start-dev', '--headless', '--port', String(port), ...database, ...attributes],
    env: cleanEnv({}),
    isUp: async () => {
      const connection = await Connection.connect({ address, connectTimeout: '1s' }).catch(() => null);
      await connection?.close();
      return connection !== null;
    },
  });
  await temporal.start();
  const connection = await Connection.connect({ address });
  cleanups.push(
    () => rmSync(folder, { recursive: true, force: true }),
    () => temporal.stop(),
    () => connection.close(),
  );
  return { temporal, address, client: new Client({ connection }) };
}
