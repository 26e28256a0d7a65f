import { setCurrentDetails, setHandler } from '@temporalio/workflow';
import { formatCount } from '../schemas/format.js';
import type { Progress, RebuildResult } from '../schemas/pipeline/run.js';
import { progressQuery } from './messages.js';
import { warehouse } from './proxies.js';

/**
 * Replays the landing zone into a warehouse and publishes it, without an API request. With a range of dates, builds a
 * second warehouse under `data/rebuilt` and does not change the one in use.
 * @param input `{from, to}`, both optional
 */
export async function rebuildWarehouse(input?: unknown): Promise<RebuildResult> {
  const progress: Progress = {
    phase: 'loading',
    date: null,
    market: null,
    steps: [],
    requests: 0,
    startedAt: null,
    notes: [],
  };
  setHandler(progressQuery, () => progress);
  setCurrentDetails(
    '**loading** the landed parts, then building the models and publishing. The heartbeat of the activity names the current step',
  );
  const result = await warehouse.rebuildWarehouse.executeWithOptions(
    { summary: 'rebuild the warehouse from the landing zone' },
    [input],
  );
  progress.phase = 'done';
  if (result.folder) progress.folder = result.folder;
  progress.notes.push(...result.faults.map((fault) => `Unreadable: ${fault}`));
  setCurrentDetails(
    `**done**: ${formatCount(result.rows)} rows of ${formatCount(result.parts)} parts, published as \`${result.published}\``,
  );
  return result;
}
