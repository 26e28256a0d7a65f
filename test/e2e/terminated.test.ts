import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Json } from '@duckdb/node-api';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { startTemporal } from '../helpers/temporal.js';

// With `TEST_DATA=bucket`, the spools are in pieces in a bucket.
const MARKET = { companies: 150, tenders: 2, seed: 31 };
const DETAILS = 'GET /v2/companies/{id}';
const IN_FLIGHT = 8;
/** Answers that a killed worker may lose: lines that the spools of two chunks or the pieces in a bucket hold back. */
const LOST = 2 * 24;

let system: System;
let nights = 0;

/** Starts a run. The companies of the market `demo` stay fresh; those of `again` are due each time. */
const start = (market: string, options: object = {}): Promise<WorkflowHandle> =>
  system.temporal.client.workflow.start('marketSnapshot', {
    taskQueue: 'tidemark-crawl',
    workflowId: `snapshot/${market}/${++nights}`,
    args: [{ market }],
    ...options,
  });
const details = (): Promise<number> => system.api.requests(DETAILS);
const runId = async (run: WorkflowHandle): Promise<string> => (await run.describe()).runId;
/** A run that has fetched some company records. */
const crawling = async (market: string, options?: object): Promise<WorkflowHandle> => {
  await system.api.answer({ route: '/v2/companies/', latency: 100 });
  const before = await details();
  const run = await start(market, options);
  await waitUntil('company records are fetched', async () => (await details()) > before + 60);
  return run;
};
const inFlight = async (): Promise<void> => {
  let before = -1;
  await waitUntil('no request is in flight', async () => before === (before = await details()), { everyMs: 1_500 });
};
const night = async (market = 'demo'): Promise<RunResult> => {
  await system.api.clearFaults();
  return (await (await start(market)).result()) as RunResult;
};
const spools = (): string[] =>
  readdirSync(system.project.landing, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.spool'));
/** Rows of a query on all landed company records. */
const landed = (sql: string): Promise<Record<string, Json>[]> => {
  const files = path.join(system.project.landing, 'companies', '*', '*', '*.parquet');
  return system.project.query(sql.replace('landed', `read_parquet('${files}', filename = true)`));
};
const recorded = async (run: string): Promise<Record<string, Json> | undefined> =>
  (await system.project.query(`SELECT outcome, crawled, note, why FROM ops.runs WHERE run_id = '${run}'`))[0];

/** Expects that the spools of a run are landed once, and how the warehouse shows the run. */
const expectLanded = async (run: string, rows: number, shown: { outcome: string; note: RegExp }): Promise<void> => {
  expect(spools()).toEqual([]);
  expect(await landed('SELECT run, entity_id FROM landed GROUP BY ALL HAVING count(*) > 1')).toEqual([]);
  const [kept] = await landed(`SELECT count(*)::INTEGER AS rows FROM landed WHERE run = '${run}'`);
  expect(kept?.['rows']).toBeGreaterThanOrEqual(rows);
  const { outcome, note } = shown;
  expect(await recorded(run)).toMatchObject({ outcome, crawled: null, note: expect.stringMatching(note) });
};

beforeAll(async () => {
  system = await startSystem({
    market: MARKET,
    config: {
      api: { maxConcurrency: IN_FLIGHT },
      markets: [
        { name: 'demo', refresh: { companies: '10h', financials: '10h' } },
        { name: 'again', refresh: { companies: '0d', financials: '10h' } },
      ],
    },
  });
});
afterAll(() => system?.stop());

it('lands what a terminated run left, and does not repeat its requests', async () => {
  const run = await crawling('demo');
  // Another run publishes meanwhile, so that readers see an open run.
  await system.api.clearFaults();
  await system.api.answer({ route: '/v2/companies/', latency: 15_000 });
  await system.run('tenderSnapshot', 'tenders/meanwhile');
  const id = await runId(run);
  expect(await recorded(id)).toMatchObject({ outcome: 'running' });
  await run.terminate('wrong filters');
  await inFlight();
  const sent = await details();

  const runs = JSON.parse((await system.tidemark('runs', '--json')).stdout) as Record<string, Json>[];
  expect(runs.find((row) => row['workflow_id'] === run.workflowId)).toMatchObject({ outcome: 'terminated' });
  expect((await system.tidemark('status')).stdout).toMatch(/marketSnapshot demo \S+: terminated/);
  const { runs: facts } = JSON.parse((await system.tidemark('report', '--json')).stdout) as {
    runs: Record<string, Json>[];
  };
  expect(facts.find((row) => row['run'] === id)).toMatchObject({ outcome: 'terminated' });

  const result = await night();
  expect(result.outcome).toBe('complete');
  expect(result.notes.join(' ')).toMatch(/This run landed the \d+ answers that snapshot\/demo\/1 left\./);
  expect(await details()).toBeLessThanOrEqual(MARKET.companies + IN_FLIGHT);
  await system.api.expectMarketEqualsTruth(system.project);
  await expectLanded(id, sent - IN_FLIGHT, { outcome: 'terminated', note: /The run was terminated: wrong filters\./ });
});

it('lands what a terminated run left whose worker was killed', async () => {
  const before = await details();
  const run = await crawling('again');
  await system.worker.stop('SIGKILL');
  await run.terminate();
  const sent = (await details()) - before;
  await system.startWorker();
  expect((await night('again')).outcome).toBe('complete');
  await expectLanded(await runId(run), sent - LOST, { outcome: 'terminated', note: /The run was terminated/ });
});

it('lands what a run left that timed out', async () => {
  const before = await details();
  const run = await crawling('again', { workflowExecutionTimeout: '20 seconds' });
  await system.worker.stop('SIGKILL');
  const sent = (await details()) - before;
  await waitUntil('the run is timed out', async () => (await run.describe()).status.name === 'TIMED_OUT');
  await system.startWorker();
  expect((await night('again')).outcome).toBe('complete');
  await expectLanded(await runId(run), sent - LOST, { outcome: 'timed_out', note: /The run timed out\./ });
});

it('shows a run as terminated that was terminated after its crawl', async () => {
  await system.api.clearFaults();
  const run = await start('again');
  await waitUntil('the run builds models', async () => (await run.query<Progress>('progress')).phase === 'modelling', {
    everyMs: 5,
  });
  await run.terminate();
  expect((await night()).outcome).toBe('complete');
  expect(await recorded(await runId(run))).toMatchObject({ outcome: 'terminated', crawled: 'complete' });
});

it('lands what a run left whose Temporal server lost its database', async () => {
  const before = await details();
  const run = await crawling('again');
  const id = await runId(run);
  await system.worker.stop('SIGKILL');
  const sent = (await details()) - before;
  const empty = await startTemporal();
  try {
    await system.startWorker({ TEMPORAL_ADDRESS: empty.address });
    await system.api.clearFaults();
    const next = await empty.client.workflow.start('marketSnapshot', {
      taskQueue: 'tidemark-crawl',
      workflowId: 'snapshot/again/new-server',
      args: [{ market: 'again' }],
    });
    expect(((await next.result()) as RunResult).outcome).toBe('complete');
    await expectLanded(id, sent - LOST, { outcome: 'lost', note: /Temporal does not know the run any more/ });
  } finally {
    await system.worker.stop();
    await empty.teardown();
  }
});
