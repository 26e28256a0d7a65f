import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import type { RunningProcess } from '../helpers/processes.js';
import type { Project } from '../helpers/project.js';
import { tidemarkIn } from '../helpers/run-cli.js';
import { mostInFlight, waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { TARGET } from '../helpers/target.js';
import { startGateway, type Gateway } from '../helpers/versitygw.js';

const COMPANIES = 1_200;
const MOST_IN_FLIGHT = 13;
const CHUNK = 50;

let system: System;
let gateway: Gateway;
const workers: RunningProcess[] = [];

const addMachine = (maxConcurrency = MOST_IN_FLIGHT): Project => {
  const config = { data: `s3://${gateway.bucket}/shared`, api: { maxConcurrency }, markets: [{ name: 'demo' }] };
  return system.addProject(config, undefined, gateway.env);
};
const addWorker = async (queue: 'crawl' | 'warehouse'): Promise<Project> => {
  const project = addMachine();
  workers.push(await project.startWorker({ TIDEMARK_CHUNK_SIZE: String(CHUNK) }, queue));
  return project;
};
const sent = (): Promise<number> => system.api.requests('GET /v2/companies/{id}');

beforeAll(async () => {
  gateway = await startGateway();
  system = await startSystem({ market: { companies: COMPANIES, tenders: 20, seed: 11, latency: 100 }, worker: null });
});

afterAll(async () => {
  for (const worker of workers) await worker.stop();
  await system?.stop();
  await gateway?.remove();
});

it.skipIf(TARGET === 'stub')('workers that join a run fetch chunks, within the limit of the key', async () => {
  await addWorker('crawl');
  const warehouse = await addWorker('warehouse');
  const handle = await system.start('marketSnapshot', 'snapshot/demo/joined');
  await waitUntil('one worker fetches chunks', async () => (await sent()) > 2 * CHUNK);
  await Promise.all([addWorker('crawl'), addWorker('crawl')]);
  expect(((await handle.result()) as RunResult).outcome).toBe('complete');
  await system.api.expectMarketEqualsTruth(warehouse);
  expect(await sent()).toBe(COMPANIES);
  expect(await mostInFlight(system.api)).toBe(MOST_IN_FLIGHT);
  const chunks = await chunksOfWorkers(system.temporal, handle.workflowId);
  expect(chunks.size).toBe(3);
});

it.skipIf(TARGET === 'stub')('doctor warns about more workers than requests in flight', async () => {
  const { stdout } = await tidemarkIn(addMachine(2), ['doctor']);
  expect(stdout).toContain('3 crawl workers share 2 requests in flight');
});

/** Counts the chunks that each worker fetched, by its identity. */
async function chunksOfWorkers({ client }: TestWorkflowEnvironment, workflowId: string): Promise<Map<string, number>> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const chunks = new Set<string>();
  const counts = new Map<string, number>();
  for (const { eventId, activityTaskScheduledEventAttributes: scheduled, ...event } of events ?? []) {
    if (scheduled?.activityType?.name === 'crawlChunk') chunks.add(String(eventId));
    const { scheduledEventId, identity } = event.activityTaskStartedEventAttributes ?? {};
    if (identity && chunks.has(String(scheduledEventId))) counts.set(identity, (counts.get(identity) ?? 0) + 1);
  }
  return counts;
}
