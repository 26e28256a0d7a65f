import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 60, tenders: 0, seed: 5, maxPerPage: 25 };
const STREAMS = [{ name: 'demo', streams: ['companies', 'ownership'] }];
const POLL_SECONDS = 1;
const OWNERSHIP = { enrich: true };
const START = 'POST /v2/kyb/{id}/ubo/enrich';
const POLL = 'GET /v2/kyb/{id}/ubo/enrich/{job_id}';
const TODAY = new Date().toISOString().slice(0, 10);

let system: System;
let inconclusive: number;
const begin = async (ownership: object): Promise<void> => {
  system = await startSystem({
    market: MARKET,
    config: { personalData: 'contacts', markets: STREAMS, ownership },
    ownerPollSeconds: POLL_SECONDS,
  });
  inconclusive = system.api.inconclusiveOwners();
  expect(inconclusive).toBeGreaterThan(3);
};
afterEach(() => system?.stop());

const enrichment = () => system.temporal.client.workflow.getHandle(`owners/demo/${TODAY}`);

it('publishes the night at once, and the owners when jobs of six hours end, across a killed worker', async () => {
  await begin(OWNERSHIP);
  const began = Date.now();
  const night = await system.run('marketSnapshot', `snapshot/demo/${TODAY}`);
  expect(night.outcome).toBe('complete');
  await system.api.expectOwnersEqualTruth(system.project, false);
  expect((await enrichment().describe()).status.name).toBe('RUNNING');

  await waitUntil('every job is polled', async () => (await system.api.requests(POLL)) >= 2 * inconclusive);
  await system.worker.stop('SIGKILL');
  const atKill = await system.api.requests(POLL);
  await system.api.advanceJobs(5);
  await system.startWorker();
  await waitUntil('the jobs are polled again', async () => (await system.api.requests(POLL)) >= atKill + inconclusive);
  expect((await enrichment().describe()).status.name).toBe('RUNNING');
  await system.api.advanceJobs(2);

  const result = (await enrichment().result()) as RunResult;
  expect(result).toMatchObject({ outcome: 'complete', rejects: 0 });
  await system.api.expectOwnersEqualTruth(system.project, true);
  expect(await system.api.requests(START)).toBe(inconclusive);
  // Each interval that has begun allows one poll of each job.
  const intervals = Math.ceil((Date.now() - began) / (POLL_SECONDS * 1_000));
  expect(await system.api.requests(POLL)).toBeLessThanOrEqual(inconclusive * intervals);
  const jobs =
    'SELECT state, count(*)::INTEGER AS jobs, count(DISTINCT job_id)::INTEGER AS ids FROM core.owner_jobs GROUP BY state';
  expect(await system.project.query(jobs)).toEqual([{ state: 'done', jobs: inconclusive, ids: inconclusive }]);

  const idle = await system.run('enrichOwners', 'owners/demo/again', { market: 'demo' });
  expect(idle.published).toBeNull();
  expect(await system.api.requests(START)).toBe(inconclusive);
});

it('starts the jobs with `tidemark owners enrich`, which follows an open run', async () => {
  await begin({ ...OWNERSHIP, enrich: false });
  await system.run('marketSnapshot', `snapshot/demo/${TODAY}`);
  const again = `tidemark owners enrich --market demo --date ${TODAY}`;
  const started = await system.tidemark('owners', 'enrich', '--no-wait');
  expect(started).toMatchObject({ code: 0, stdout: `Started: owners/demo/${TODAY}. Follow it with: ${again}\n` });
  const joined = await system.tidemark('owners', 'enrich', '--no-wait', '--json');
  expect(JSON.parse(joined.stdout)).toEqual({ workflowId: `owners/demo/${TODAY}`, joined: true });
  await waitUntil('all jobs are started', async () => (await system.api.requests(START)) === inconclusive);
  await system.api.advanceJobs(7);
  const followed = await system.tidemark(...again.split(' ').slice(1), '--json');
  expect(followed.code, followed.stderr).toBe(0);
  expect(JSON.parse(followed.stdout)).toMatchObject({ market: 'demo', outcome: 'complete', rejects: 0 });
  await system.api.expectOwnersEqualTruth(system.project, true);
  const idle = await system.tidemark('owners', 'enrich');
  expect(idle).toMatchObject({ code: 0, stdout: expect.stringContaining('complete') as string });
  expect(await system.api.requests(START)).toBe(inconclusive);
});

it('starts no second job after kill -9 between the start of a job and its answer', async () => {
  await begin({ ...OWNERSHIP, enrich: false });
  await system.run('marketSnapshot', `snapshot/demo/${TODAY}`);
  expect(await system.api.requests(START)).toBe(0);
  await system.api.answer({ route: '/v2/kyb', latency: 4_000 });
  const enrich = await system.start('enrichOwners', `owners/demo/${TODAY}`, { market: 'demo' });
  await waitUntil('a job is about to start', async () => intents(system).length > 0);
  // The request is on its way: the intent is on disk before it is sent.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await system.worker.stop('SIGKILL');
  await system.api.clearFaults();
  await system.startWorker();
  // Polls begin after the last start.
  await waitUntil('a job is polled', async () => (await system.api.requests(POLL)) > 0);
  await system.api.advanceJobs(7);
  const result = (await enrich.result()) as RunResult;
  expect(await system.api.jobsStarted()).toBeLessThanOrEqual(inconclusive);
  const lost = await system.project.query(
    "SELECT entity_id FROM ops.rejects WHERE stream = 'ownership_jobs' AND reason = 'job_unknown'",
  );
  expect(lost.length).toBeGreaterThan(0);
  expect(result).toMatchObject({ rejects: lost.length });
  const done = "SELECT count(*)::INTEGER AS n FROM core.owner_jobs WHERE state = 'done'";
  expect(await system.project.query(done)).toEqual([{ n: inconclusive - lost.length }]);
});

/** Companies with an intent or an open job on disk. */
function intents({ project }: System): string[] {
  const folder = path.join(project.dataDir, 'owner-jobs', 'open');
  return existsSync(folder)
    ? readdirSync(folder).filter((name) => name.endsWith('.json') && !name.startsWith('.'))
    : [];
}
