import type { RebuildResult } from '../../schemas/pipeline/run.js';
import { formatCount, formatDuration } from '../../schemas/format.js';
import { rebuildId } from '../../workflows/ids.js';
import type { Config } from '../core/config.js';
import { readDataFolder } from '../core/folder-identity.js';
import { createProgressView } from '../progress/view.js';
import { runFailure } from '../temporal/failure.js';
import { followRun } from '../temporal/follow-run.js';
import { listWorkers } from '../temporal/list-workers.js';
import { startOrJoin } from '../temporal/start-run.js';
import { INTERRUPTED, interruptSignal } from '../terminal/interrupt.js';
import { FAILED } from '../terminal/print-error.js';
import { say, sayJson, tell } from '../terminal/print.js';
import { connectTraced } from './connect-traced.js';
import { publishedPlace, workerWarnings } from './other-folder.js';

/**
 * Starts the workflow `rebuildWarehouse` with partitions, or joins a running one, and follows it. Ctrl-C stops following;
 * the rebuild continues.
 * @throws TidemarkError when the rebuild failed, with the reason
 */
export async function replayInPartitions(config: Config, partitions: number, json: boolean): Promise<void> {
  const { dataDir } = config;
  const temporal = await connectTraced(config);
  try {
    const { client } = temporal;
    for (const warning of await workerWarnings(client, config)) tell(`! ${warning}`);
    if (!(await listWorkers(client)).some(({ roles }) => roles.includes('partitions')))
      tell('! No worker builds partitions. Start one on each machine with `tidemark worker --queue partitions`.');
    const { handle, joined, startedAt } = await startOrJoin(client, {
      type: 'rebuildWarehouse',
      workflowId: rebuildId(readDataFolder(dataDir)?.id ?? 'new'),
      input: { partitions },
      market: null,
      date: null,
      summary: `rebuild of the warehouse in ${formatCount(partitions)} partitions`,
      details: 'Replays the landing zone into a new warehouse, without an API request, and publishes it.',
    });
    if (joined) tell(`${handle.workflowId} is already running. Following it.`);
    const begun = performance.now();
    const view = json ? null : createProgressView('replay');
    const followed = await followRun<RebuildResult>(client, handle, view, {
      startedAt,
      interrupted: interruptSignal(),
    }).catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'WorkflowFailedError')) throw error;
      throw runFailure(error, handle.workflowId);
    });
    if (followed === null) {
      tell(`The rebuild continues. Follow it again with: tidemark replay --partitions ${partitions}`);
      process.exitCode = INTERRUPTED;
      return;
    }
    const { result } = followed;
    if (result.faults.length > 0) process.exitCode = FAILED;
    if (json) return sayJson({ workflowId: handle.workflowId, ...result });
    sayRebuilt(result, { dataDir, ms: performance.now() - begun });
  } finally {
    await temporal.close();
  }
}

function sayRebuilt(result: RebuildResult, { dataDir, ms }: { dataDir: string; ms: number }): void {
  const { parts, rows, rejects, published, faults, failedAudits, notes = [], folder } = result;
  say(
    `${faults.length === 0 ? '✔ replayed' : '✖ replayed only in part'}: ${formatCount(rows)} rows of ${formatCount(parts)} parts in ${formatDuration(ms)}`,
  );
  say(`  rejected   ${formatCount(rejects)}`);
  for (const audit of failedAudits) say(`  audit      ${audit}`);
  for (const note of notes) say(`  note       ${note}`);
  for (const fault of faults) say(`  unreadable ${fault}`);
  say(`  published  ${publishedPlace(published, folder, dataDir)}`);
}
