import { setCurrentDetails, setHandler, setWorkflowOptions, upsertSearchAttributes } from '@temporalio/workflow';
import { formatCount } from '../schemas/format.js';
import type { Progress, RebuildResult } from '../schemas/pipeline/run.js';
import { isCancelled } from './cancellation.js';
import { ownFolder } from './run/own-folder.js';
import { stateAttributes } from './run/state-attributes.js';
import { progressQuery } from './messages.js';
import { quick, warehouse } from './proxies.js';

// No run: `tidemark stop` cannot end it, so it must not wait for a version that has no worker.
setWorkflowOptions({ versioningBehavior: 'AUTO_UPGRADE' }, rebuildWarehouse);

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
  const registered = await quick.listStateAttributes();
  const showState = (): void => {
    const attributes = stateAttributes(progress, null, registered);
    if (attributes.length > 0) upsertSearchAttributes(attributes);
  };
  showState();
  try {
    const result = await warehouse.rebuildWarehouse.executeWithOptions(
      { summary: 'rebuild the warehouse from the landing zone' },
      [input, ownFolder()],
    );
    progress.phase = 'done';
    progress.outcome = result.faults.length === 0 ? 'complete' : 'partial';
    progress.rejects = result.rejects;
    progress.folder = result.folder;
    progress.notes.push(...result.faults.map((fault) => `Unreadable: ${fault}`));
    showState();
    setCurrentDetails(
      `**${progress.outcome}**: ${formatCount(result.rows)} rows of ${formatCount(result.parts)} parts, published as \`${result.published}\``,
    );
    return result;
  } catch (error) {
    progress.outcome = isCancelled(error) ? 'cancelled' : 'failed';
    showState();
    throw error;
  }
}
