/**
 * Records the histories that replay.test.ts replays: `npm run histories`. Record them from COMMITTED code and commit
 * them with it; recorded from a changed working tree they would agree with the change and prove nothing.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { makeProject } from '../helpers/project.js';
import { startSandbox } from '../helpers/processes.js';
import { startTemporal } from '../helpers/temporal.js';

const temporal = await startTemporal();
const sandbox = await startSandbox({ companies: 400, tenders: 30, 'max-per-page': 20 });
const project = makeProject({ api: sandbox, temporal: temporal.address });
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
  ];
  for (const [file, type, input] of runs) {
    const handle = await temporal.client.workflow.start(type, {
      taskQueue: 'tidemark-crawl',
      workflowId: `record/${file}/${day}`,
      args: [input],
    });
    await handle.result();
    const json = historyToJSON(await handle.fetchHistory());
    writeFileSync(path.join(import.meta.dirname, 'histories', `${file}.json`), `${json}\n`);
    process.stdout.write(`${file}\n`);
  }
} finally {
  await worker.stop();
  await sandbox.stop();
  await temporal.teardown();
  project.remove();
}
