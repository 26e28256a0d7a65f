/**
 * Records the histories that replay.test.ts replays: `npm run histories`. Record them from COMMITTED code and commit
 * them with it; recorded from a changed working tree they would agree with the change and prove nothing.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { Progress } from '../../schemas/pipeline/run.js';
import { makeProject } from '../helpers/project.js';
import { startSandbox } from '../helpers/processes.js';
import { control, waitUntil } from '../helpers/sandbox.js';
import { startTemporal } from '../helpers/temporal.js';

const temporal = await startTemporal();
const sandbox = await startSandbox({ companies: 400, tenders: 30, 'max-per-page': 20 });
const project = makeProject({
  api: sandbox,
  temporal: temporal.address,
  config: { quota: { probeEvery: '1s' } },
});
const worker = await project.startWorker();
try {
  const day = new Date().toISOString().slice(0, 10);
  const runs: [file: string, type: string, input: object][] = [
    ['market-snapshot-first-night', 'marketSnapshot', {}],
    ['market-snapshot-same-day-again', 'marketSnapshot', {}],
    ['market-snapshot-past-date', 'marketSnapshot', { date: '2026-01-15' }],
    ['tender-snapshot', 'tenderSnapshot', {}],
    ['watch-sync', 'watchSync', {}],
    ['backfill', 'backfill', { from: '2026-01-01', to: '2026-01-31' }],
    ['retry-rejects', 'retryRejects', {}],
    ['resolve-companies', 'resolveCompanies', { file: 'resolve/list.csv' }],
  ];
  mkdirSync(path.join(project.dataDir, 'resolve'), { recursive: true });
  writeFileSync(path.join(project.dataDir, 'resolve', 'list.csv'), 'name,country\nNo such company,DK\nNone either,\n');
  const record = async (file: string, handle: WorkflowHandle): Promise<void> => {
    const json = historyToJSON(await handle.fetchHistory());
    writeFileSync(path.join(import.meta.dirname, 'histories', `${file}.json`), `${json}\n`);
    process.stdout.write(`${file}\n`);
  };
  for (const [file, type, input] of runs) {
    const handle = await temporal.client.workflow.start(type, {
      taskQueue: 'tidemark-crawl',
      workflowId: `record/${file}/${day}`,
      args: [input],
    });
    await handle.result();
    await record(file, handle);
  }
  // A run that waits for the daily quota, and the gate at which it waits.
  await control(sandbox, 'quota', { dailyLimit: 1 });
  const waiting = await temporal.client.workflow.start('watchSync', {
    taskQueue: 'tidemark-crawl',
    workflowId: `record/quota/${day}`,
    args: [{}],
  });
  await waitUntil(
    'the run waits',
    async () => (await waiting.query<Progress>('progress')).phase === 'waiting-for-quota',
  );
  await control(sandbox, 'quota', { dailyLimit: 0 });
  await waiting.result();
  await record('watch-sync-after-quota', waiting);
  for await (const gate of temporal.client.workflow.list({ query: "WorkflowType = 'quotaGate'" })) {
    const handle = temporal.client.workflow.getHandle(gate.workflowId);
    await handle.result();
    await record('quota-gate', handle);
  }
} finally {
  await worker.stop();
  await sandbox.stop();
  await temporal.teardown();
  project.remove();
}
