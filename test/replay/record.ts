/**
 * Records the histories for replay.test.ts: `npm run histories`; with names after `--` it records only those. Record
 * COMMITTED code and commit the histories with it. Histories of uncommitted changes would agree with them and prove
 * nothing.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { executionsOf } from '../helpers/executions.js';
import { makeProject } from '../helpers/project.js';
import { startSandbox } from '../helpers/processes.js';
import { control, waitUntil } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';

const temporal = await startTemporal();
const sandbox = await startSandbox({ companies: 400, tenders: 30, 'max-per-page': 20 });
const project = makeProject({
  api: sandbox,
  temporal: temporal.address,
  config: {
    quota: { probeEvery: '1s' },
    markets: [
      {
        name: 'demo',
        streams: ['companies', 'financials', 'companies_v1', 'financials_ticker'],
        tickers: ['NONE-SUCH'],
      },
    ],
  },
});
const wanted = process.argv.slice(2);

async function record(file: string, handle: WorkflowHandle): Promise<void> {
  if (wanted.length > 0 && !wanted.includes(file)) return;
  const json = historyToJSON(await handle.fetchHistory());
  writeFileSync(path.join(import.meta.dirname, 'histories', `${file}.json`), `${json}\n`);
  process.stdout.write(`${file}\n`);
}

const waits = (run: WorkflowHandle): Promise<void> =>
  waitUntil('the run waits', async () => (await run.query<Progress>('progress')).phase === 'waiting-for-quota');

const CHUNKS = 'market-snapshot-chunks';

const worker = await project.startWorker();
try {
  if (wanted.join() === CHUNKS) await recordChunks();
  else await recordAll();
} finally {
  await worker.stop();
  await sandbox.stop();
  await temporal.teardown();
  project.remove();
}

async function recordAll(): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const runs: [file: string, type: string, input: object][] = [
    ['market-snapshot-first-night', 'marketSnapshot', {}],
    ['market-snapshot-same-day-again', 'marketSnapshot', {}],
    ['market-snapshot-contact-metrics', 'marketSnapshot', {}],
    ['market-snapshot-past-date', 'marketSnapshot', { date: '2026-01-15' }],
    ['tender-snapshot', 'tenderSnapshot', {}],
    ['watch-sync', 'watchSync', {}],
    ['backfill', 'backfill', { from: '2026-01-01', to: '2026-01-31' }],
    ['retry-rejects', 'retryRejects', {}],
    ['rebuild-warehouse', 'rebuildWarehouse', {}],
    ['resolve-companies', 'resolveCompanies', { file: 'resolve/list.csv' }],
    ['check-payees', 'checkPayees', { file: 'payees/list.csv' }],
  ];
  mkdirSync(path.join(project.dataDir, 'resolve'), { recursive: true });
  writeFileSync(path.join(project.dataDir, 'resolve', 'list.csv'), 'name,country\nNo such company,DK\nNone either,\n');
  mkdirSync(path.join(project.dataDir, 'payees'), { recursive: true });
  writeFileSync(path.join(project.dataDir, 'payees', 'list.csv'), 'iban\nDE89370400440532013000\nDE00\n');
  for (const [file, type, input] of runs) {
    const handle = await temporal.client.workflow.start(type, {
      taskQueue: 'tidemark-crawl',
      workflowId: `record/${file}/${day}`,
      args: [input],
    });
    await handle.result();
    await record(file, handle);
  }
  // A run that waits for the daily quota, and its quota gate.
  await control(sandbox, 'quota', { dailyLimit: 1 });
  const waiting = await temporal.client.workflow.start('watchSync', {
    taskQueue: 'tidemark-crawl',
    workflowId: `record/quota/${day}`,
    args: [{}],
  });
  await waits(waiting);
  await control(sandbox, 'quota', { dailyLimit: 0 });
  await waiting.result();
  await record('watch-sync-after-quota', waiting);
  for await (const gate of temporal.client.workflow.list({ query: "WorkflowType = 'quotaGate'" })) {
    const handle = temporal.client.workflow.getHandle(gate.workflowId);
    await handle.result();
    await record('quota-gate', handle);
  }
  // The next worker uses the same task queue.
  await worker.stop();
  await recordEnrichment();
  await recordContinued();
  await recordChunks();
}

/** A run whose chunks overlap. */
async function recordChunks(): Promise<void> {
  await worker.stop();
  const api = await startSandbox({ companies: 60, tenders: 0 });
  const night = makeProject({
    api,
    temporal: temporal.address,
    config: { markets: [{ name: 'demo', streams: ['companies', 'financials'] }] },
  });
  const small = await night.startWorker({ TIDEMARK_CHUNK_SIZE: '10' });
  try {
    const run = await temporal.client.workflow.start('marketSnapshot', {
      taskQueue: 'tidemark-crawl',
      workflowId: 'record/chunks',
      args: [{}],
    });
    await run.result();
    await record(CHUNKS, run);
  } finally {
    await small.stop();
    await api.stop();
    night.remove();
  }
}

/** Runs that enrich people and owners. Both need `personalData: contacts`. */
async function recordEnrichment(): Promise<void> {
  const api = await startSandbox({ companies: 60, tenders: 0, seed: 5, 'max-per-page': 25 });
  const contacts = makeProject({
    api,
    temporal: temporal.address,
    config: {
      personalData: 'contacts',
      markets: [{ name: 'demo', streams: ['companies', 'ownership'] }],
      ownership: { enrich: true },
    },
    ownerPollSeconds: 1,
  });
  const enricher = await contacts.startWorker();
  const begin = (type: string, workflowId: string, input: object): Promise<WorkflowHandle> =>
    temporal.client.workflow.start(type, { taskQueue: 'tidemark-crawl', workflowId, args: [input] });
  try {
    mkdirSync(path.join(contacts.dataDir, 'resolve'), { recursive: true });
    writeFileSync(path.join(contacts.dataDir, 'resolve', 'people.csv'), 'email\nnobody@company.example\n');
    const people = await begin('enrichPeople', 'record/people', { file: 'resolve/people.csv' });
    await people.result();
    await record('enrich-people', people);
    // The snapshot starts the run that enriches owners.
    const night = (await (await begin('marketSnapshot', 'record/owners', {})).result()) as RunResult;
    const owners = temporal.client.workflow.getHandle(`owners/demo/${night.date}`);
    await waitUntil('the jobs of owners are polled', async () => {
      const { steps } = await owners.query<Progress>('progress');
      return steps.some(({ name, total }) => name === 'owner jobs' && total !== null && total > 0);
    });
    await control(api, 'jobs', { advanceSeconds: 7 * 3_600 });
    await owners.result();
    await record('enrich-owners', owners);
    await record('market-snapshot-owners', temporal.client.workflow.getHandle('record/owners'));
    const idle = await begin('enrichOwners', 'record/no-owners', {});
    await idle.result();
    await record('enrich-owners-nothing-due', idle);
  } finally {
    await enricher.stop();
    await api.stop();
    contacts.remove();
  }
}

/** A run and its gate over continue-as-new: an execution that ends so, and its successor. */
async function recordContinued(): Promise<void> {
  const api = await startSandbox({ companies: 30, tenders: 5 });
  const small = makeProject({ api, temporal: temporal.address, config: { quota: { probeEvery: '1s' } } });
  const cut = await small.startWorker({ TIDEMARK_EVENTS_PER_RUN: '40', TIDEMARK_CHUNK_SIZE: '8' });
  const { workflow } = temporal.client;
  try {
    await control(api, 'quota', { dailyLimit: 20 });
    const run = await workflow.start('marketSnapshot', {
      taskQueue: 'tidemark-crawl',
      workflowId: 'record/continued',
      args: [{}],
    });
    await waits(run);
    const gates: WorkflowHandle[] = [];
    await waitUntil('the gate is listed', async () => {
      const query = "WorkflowType = 'quotaGate' AND ExecutionStatus = 'Running'";
      for await (const { workflowId } of workflow.list({ query })) gates.push(workflow.getHandle(workflowId));
      return gates.length > 0;
    });
    for (const gate of gates) {
      await waitUntil('the gate continues as new', async () => (await executionsOf(temporal, gate)).length > 1);
    }
    await run.signal('pause');
    await run.signal('setConcurrency', 4);
    await control(api, 'quota', { dailyLimit: 0 });
    await waitUntil('the run is paused', async () => (await run.query<Progress>('progress')).phase === 'paused');
    await run.signal('resume');
    await run.result();
    await recordExecutions('market-snapshot', run);
    for (const gate of gates) await recordExecutions('quota-gate', gate);
  } finally {
    await cut.stop();
    await api.stop();
    small.remove();
  }
}

async function recordExecutions(file: string, handle: WorkflowHandle): Promise<void> {
  const [first, second] = await executionsOf(temporal, handle);
  if (!first || !second) throw new Error(`${file} did not continue as new`);
  await record(`${file}-continues-as-new`, temporal.client.workflow.getHandle(handle.workflowId, first.runId));
  await record(`${file}-continued`, temporal.client.workflow.getHandle(handle.workflowId, second.runId));
}
