/**
 * Records the histories for replay.test.ts: `npm run histories`. Record COMMITTED code and commit the histories with it.
 * Histories of uncommitted changes would agree with them and prove nothing.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Alert } from '../../schemas/pipeline/alert.js';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { executionsOf } from '../helpers/executions.js';
import { makeProject } from '../helpers/project.js';
import { startSandbox } from '../helpers/processes.js';
import { control, waitUntil } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';

const FOLDER = path.join(import.meta.dirname, 'histories');
const ALERT: Alert = {
  id: 'snapshot/demo/2026-11-20/partial',
  cause: 'partial',
  market: 'demo',
  date: '2026-11-20',
  title: 'Market demo, night of 2026-11-20: partial',
  facts: ['1 of 40 companies missing; 39 found.'],
  todo: 'Look at the gaps with `tidemark coverage`.',
  workflowId: null,
  run: null,
  at: '2026-11-20T02:00:00.000Z',
};

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER);
const temporal = await startTemporal();
const { workflow } = temporal.client;
try {
  await recordTypes();
  await recordContinued();
} finally {
  await temporal.teardown();
}

/** Writes a history with one event in each line, so that a diff shows the events that changed. */
async function record(file: string, handle: WorkflowHandle): Promise<void> {
  const { events } = JSON.parse(historyToJSON(await handle.fetchHistory())) as { events: object[] };
  const lines = events.map((event) => JSON.stringify(event));
  writeFileSync(path.join(FOLDER, `${file}.json`), `{"events":[\n${lines.join(',\n')}\n]}\n`);
  process.stdout.write(`${file}: ${events.length} events\n`);
}

async function begin(type: string, workflowId: string, ...args: object[]): Promise<WorkflowHandle> {
  return workflow.start(type, { taskQueue: 'tidemark-crawl', workflowId, args });
}

function waits(run: WorkflowHandle): Promise<void> {
  return waitUntil('the run waits', async () => (await run.query<Progress>('progress')).phase === 'waiting-for-quota');
}

async function openGates(): Promise<WorkflowHandle[]> {
  const gates: WorkflowHandle[] = [];
  await waitUntil('the gate is listed', async () => {
    const query = "WorkflowType = 'quotaGate' AND ExecutionStatus = 'Running'";
    for await (const { workflowId } of workflow.list({ query })) gates.push(workflow.getHandle(workflowId));
    return gates.length > 0;
  });
  return gates;
}

/** One run of each workflow type. */
async function recordTypes(): Promise<void> {
  const api = await startSandbox({ companies: 40, tenders: 5, seed: 5, 'max-per-page': 25 });
  const project = makeProject({
    api,
    temporal: temporal.address,
    config: {
      personalData: 'contacts',
      quota: { probeEvery: '1s' },
      markets: [{ name: 'demo', streams: ['companies', 'financials', 'ownership'] }],
      ownership: { enrich: true },
      notify: [{ name: 'program', command: ['true'] }],
    },
    ownerPollSeconds: 1,
  });
  // Several chunks for each stream, so that chunks overlap.
  const worker = await project.startWorker({ TIDEMARK_CHUNK_SIZE: '15' });
  for (const [folder, file, text] of [
    ['resolve', 'list.csv', 'name,country\nNo such company,DK\nNone either,\n'],
    ['resolve', 'people.csv', 'email\nnobody@company.example\n'],
    ['payees', 'list.csv', 'iban\nDE89370400440532013000\nDE00\n'],
  ] as const) {
    mkdirSync(path.join(project.dataDir, folder), { recursive: true });
    writeFileSync(path.join(project.dataDir, folder, file), text);
  }
  try {
    const night = await begin('marketSnapshot', 'record/night', {});
    const { date } = (await night.result()) as RunResult;
    await record('market-snapshot', night);
    // The snapshot has started the run that enriches owners.
    const owners = workflow.getHandle(`owners/demo/${date}`);
    await waitUntil('the jobs of owners are polled', async () => {
      const { steps } = await owners.query<Progress>('progress');
      return steps.some(({ name, total }) => name === 'owner jobs' && total !== null && total > 0);
    });
    await control(api, 'jobs', { advanceSeconds: 7 * 3_600 });
    await owners.result();
    await record('enrich-owners', owners);
    const types: [file: string, type: string, ...input: object[]][] = [
      ['tender-snapshot', 'tenderSnapshot', {}],
      ['backfill', 'backfill', { from: '2026-01-01', to: '2026-01-31' }],
      ['retry-rejects', 'retryRejects', {}],
      ['rebuild-warehouse', 'rebuildWarehouse', {}],
      ['resolve-companies', 'resolveCompanies', { file: 'resolve/list.csv' }],
      ['enrich-people', 'enrichPeople', { file: 'resolve/people.csv' }],
      ['check-payees', 'checkPayees', { file: 'payees/list.csv' }],
      ['check-nights', 'checkNights'],
      ['notify', 'notify', ALERT],
    ];
    for (const [file, type, ...input] of types) {
      const run = await begin(type, `record/${file}`, ...input);
      await run.result();
      await record(file, run);
    }
    // A run that waits for the daily quota, and its quota gate.
    await control(api, 'quota', { dailyLimit: 1 });
    const waiting = await begin('watchSync', 'record/quota', {});
    await waits(waiting);
    const gates = await openGates();
    await control(api, 'quota', { dailyLimit: 0 });
    await waiting.result();
    await record('watch-sync', waiting);
    for (const gate of gates) {
      await gate.result();
      await record('quota-gate', gate);
    }
  } finally {
    // The next worker uses the same task queue.
    await worker.stop();
    await api.stop();
    project.remove();
  }
}

/** A run and its gate over continue-as-new: an execution that ends so, and its successor. */
async function recordContinued(): Promise<void> {
  const api = await startSandbox({ companies: 20, tenders: 0 });
  const markets = [{ name: 'demo', streams: ['companies'] }];
  const project = makeProject({ api, temporal: temporal.address, config: { quota: { probeEvery: '1s' }, markets } });
  const worker = await project.startWorker({ TIDEMARK_EVENTS_PER_RUN: '40', TIDEMARK_CHUNK_SIZE: '5' });
  try {
    await control(api, 'quota', { dailyLimit: 15 });
    const run = await begin('marketSnapshot', 'record/continued', {});
    await waits(run);
    const gates = await openGates();
    for (const gate of gates) {
      await waitUntil('the gate continues as new', async () => (await executionsOf(temporal, gate)).length > 1);
    }
    await run.signal('pause');
    await control(api, 'quota', { dailyLimit: 0 });
    await waitUntil('the run is paused', async () => (await run.query<Progress>('progress')).phase === 'paused');
    await run.executeUpdate('setConcurrency', { args: [4] });
    await run.signal('resume');
    await run.result();
    await recordExecutions('market-snapshot', run);
    for (const gate of gates) await recordExecutions('quota-gate', gate);
  } finally {
    await worker.stop();
    await api.stop();
    project.remove();
  }
}

async function recordExecutions(file: string, handle: WorkflowHandle): Promise<void> {
  const [first, second] = await executionsOf(temporal, handle);
  if (!first || !second) throw new Error(`${file} did not continue as new`);
  await record(`${file}-continues-as-new`, workflow.getHandle(handle.workflowId, first.runId));
  await record(`${file}-continued`, workflow.getHandle(handle.workflowId, second.runId));
}
