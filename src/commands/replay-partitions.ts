import type { RebuildResult } from '../../schemas/pipeline/run.js';
import { formatCount } from '../../schemas/format.js';
import { rebuildId } from '../../workflows/ids.js';
import { PARTITION_QUEUE } from '../../workflows/queues.js';
import type { Config } from '../core/config.js';
import { TidemarkError } from '../core/errors.js';
import { readDataFolder } from '../core/folder-identity.js';
import { recentPollers } from '../temporal/crawl-workers.js';
import { TaskType } from '../temporal/pollers.js';
import type { RunRequest } from '../temporal/start-run.js';
import { INTERRUPTED, interruptSignal } from '../terminal/interrupt.js';
import { FAILED } from '../terminal/print-error.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { connectTraced } from './connect-traced.js';
import { otherFolder, publishedPlace, workerWarnings } from './other-folder.js';
import { followToEnd } from './snapshot/run-and-follow.js';

/**
 * Starts the workflow `rebuildWarehouse` with partitions, or joins a running one, and follows it. Ctrl-C stops following;
 * the rebuild continues.
 * @throws TidemarkError when the rebuild failed, with the reason; `InvalidInput` for a data folder that no worker has used
 */
export async function replayInPartitions(config: Config, partitions: number, json: boolean): Promise<void> {
  const { dataDir } = config;
  const request = rebuildRequest(dataDir, partitions);
  const temporal = await connectTraced(config);
  try {
    const { client } = temporal;
    for (const warning of await workerWarnings(client, config)) tell(`! ${warning}`);
    // If a server does not list its pollers, start the rebuild anyway. A worker that builds a partition may not poll.
    const pollers = await recentPollers(client, PARTITION_QUEUE, TaskType.activity).catch(() => null);
    if (pollers?.length === 0)
      tell('! No worker waits for partitions. Start one on each machine with `tidemark worker --queue partitions`.');
    const interrupted = interruptSignal();
    const options = { json, interrupted, dataDir, title: 'replay' };
    const result = await followToEnd<RebuildResult>(temporal, request, options);
    if (result === null) {
      tell(`The rebuild continues. Follow it again with: tidemark replay --partitions ${partitions}`);
      process.exitCode = INTERRUPTED;
      return;
    }
    if (result.faults.length > 0) process.exitCode = FAILED;
    const other = otherFolder(result.folder, dataDir);
    if (other !== null) tell(`! ${other}`);
    if (json) return sayJson({ workflowId: request.workflowId, ...result });
    sayRebuilt(result, dataDir);
  } finally {
    await temporal.close();
  }
}

function rebuildRequest(dataDir: string, partitions: number): RunRequest {
  const folder = readDataFolder(dataDir);
  if (folder === null) {
    throw new TidemarkError('InvalidInput', `No worker has used the data folder ${dataDir}.`, {
      todo: 'Use the configuration of the workers (--config, TIDEMARK_DATA).',
    });
  }
  return {
    type: 'rebuildWarehouse',
    workflowId: rebuildId(folder.id),
    input: { partitions },
    market: null,
    date: null,
    summary: `rebuild of the warehouse in ${formatCount(partitions)} partitions`,
    details: 'Replays the landing zone into a new warehouse, without an API request, and publishes it.',
  };
}

function sayRebuilt(result: RebuildResult, dataDir: string): void {
  const { parts, rows, rejects, published, faults, failedAudits, notes = [], folder } = result;
  const how = faults.length === 0 ? '✔ replayed' : '✖ replayed only in part';
  say(`${how}: ${formatCount(rows)} rows of ${formatCount(parts)} parts, ${formatCount(rejects)} rejected`);
  for (const audit of failedAudits) say(`  audit      ${audit}`);
  for (const note of notes) say(`  note       ${note}`);
  for (const fault of faults) say(`  unreadable ${fault}`);
  say(`  published  ${publishedPlace(published, folder, dataDir)}`);
}
