import {
  CancellationScope,
  patched,
  setCurrentDetails,
  setHandler,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { formatCount } from '../schemas/format.js';
import type { Progress, ProgressStep, RebuildResult } from '../schemas/pipeline/run.js';
import { isCancelled } from './run/cancellation.js';
import { ownFolder } from './run/own-folder.js';
import { stateAttributes } from './run/state-attributes.js';
import { progressQuery } from './messages.js';
import { partitions, quick, warehouse } from './proxies.js';

/**
 * Replays the landing zone into a warehouse and publishes it, without an API request. With a range of dates, builds a
 * second warehouse under `data/rebuilt` and does not change the one in use.
 * @param input `{from, to, partitions}`, all optional. With `partitions`, many workers load and build, and the warehouse
 * worker combines their results
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
  // Histories of older versions have no search attributes.
  const registered = patched('rebuild-attributes') ? await quick.listStateAttributes() : [];
  const showState = (): void => {
    const attributes = stateAttributes(progress, null, registered);
    if (attributes.length > 0) upsertSearchAttributes(attributes);
  };
  showState();
  try {
    const result = await (hasPartitions(input) ? rebuildFromPartitions(input, progress) : rebuildWhole(input));
    progress.phase = 'done';
    progress.outcome = result.faults.length === 0 ? 'complete' : 'partial';
    progress.rejects = result.rejects;
    if (result.folder) progress.folder = result.folder;
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

function rebuildWhole(input: unknown): Promise<RebuildResult> {
  return warehouse.rebuildWarehouse.executeWithOptions({ summary: 'rebuild the warehouse from the landing zone' }, [
    input,
    ownFolder(),
  ]);
}

function hasPartitions(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'partitions' in input;
}

async function rebuildFromPartitions(input: unknown, progress: Progress): Promise<RebuildResult> {
  const rebuild = workflowInfo().runId;
  const folder = ownFolder();
  try {
    const of = await warehouse.planPartitions({ rebuild, input, ...folder });
    const step: ProgressStep = { name: 'partitions', done: 0, total: of, state: 'running' };
    progress.steps.push(step);
    const show = (): void =>
      setCurrentDetails(
        `**building partitions**: ${step.done} of ${of} are ready. \`tidemark worker --queue partitions\` builds them`,
      );
    show();
    const files = await Promise.all(
      Array.from({ length: of }, async (_, index) => {
        const summary = `partition ${index + 1} of ${of}`;
        const file = await partitions.buildPartition.executeWithOptions({ summary }, [{ rebuild, index, ...folder }]);
        step.done++;
        show();
        return file;
      }),
    );
    step.state = 'done';
    setCurrentDetails('**combining** the partitions, then building the other models and publishing');
    return await warehouse.combinePartitions({ rebuild, input, files, ...folder });
  } finally {
    await CancellationScope.nonCancellable(() => warehouse.removePartitions({ rebuild, ...folder }));
  }
}
