import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Alert } from '../../schemas/pipeline/alert.js';
import type { CloseRunInput } from '../../schemas/pipeline/activities.js';
import type { ErrorType } from '../../schemas/pipeline/error-type.js';
import type { DataFolder, RunContext } from '../../schemas/pipeline/run.js';
import { describeFolder, readDataFolder } from '../../src/store/folder-identity.js';
import type { CrawlDeps } from '../../src/crawl/records/deps.js';
import { folderChanged, hasRunRecord } from '../../src/crawl/records/folder-changed.js';
import type { Activities } from '../contract.js';
import { countRefusal } from '../heartbeat.js';
import { DAY_MS, MINUTE_MS } from '../../src/base/time/time.js';

/** How long a run waits until a worker with the run's data folder takes its work. After this time the run fails. */
const PATIENCE_MS = DAY_MS;
// Shorter wait for the closing record of a failed or cancelled run, because the run has ended.
const CLOSING_PATIENCE_MS = 5 * MINUTE_MS;
// Shorter wait for an activity of the quota gate. All data folders share the gate. While the activity waits for a
// worker with its folder, no run can pass the gate.
const GATE_PATIENCE_MS = MINUTE_MS;
// Retry the first refused attempts quickly, because another worker may take the task at once. Later attempts are
// retried slowly: probably no worker with the right data folder runs.
const QUICK_REFUSALS = 10;
const QUICK_PAUSE = '200 milliseconds';
const LONG_PAUSE = '15 seconds';

/** These activities run after the crawl and need the run's closing record in the landing zone. */
const AFTER_CLOSE: ReadonlySet<string> = new Set<keyof Activities>(['loadLanding', 'buildModels', 'publishWarehouse']);

/** These activities open a run or belong to none. A workflow that knows its data folder names it to them (`folderIn`). */
const WITHOUT_RUN: ReadonlySet<string> = new Set<keyof Activities>([
  'openRun',
  'rebuildWarehouse',
  'findLateNights',
  'listStateAttributes',
]);

/** These activities deliver alerts. They read no record of the run, so only the run's data folder is checked. */
const ALERTS: ReadonlySet<string> = new Set<keyof Activities>(['chooseTargets', 'sendAlert', 'findLateNights']);

type Deps = Pick<CrawlDeps, 'config' | 'data' | 'folder' | 'log'>;

/**
 * Rejects work of a run that belongs to another data folder, before the activity reads or writes anything.
 * @throws ApplicationFailure `OtherDataFolder` when the run belongs to another folder. Temporal retries until the wait
 * for a worker with the run's folder has lasted too long.
 * @throws TidemarkError `DataFolderChanged` when this worker has the run's folder, but the run's records are missing;
 * when the folder at the run's path has another id; or when the worker's `folder.json` is gone
 */
export async function checkFolder(
  { config, data, folder, log }: Deps,
  activity: keyof Activities,
  ...[input, of]: unknown[]
): Promise<void> {
  if (folder === undefined) return;
  const { dataDir } = config;
  const here = readDataFolder(dataDir);
  const wanted = WITHOUT_RUN.has(activity) ? (folderIn(input) ?? folderIn(of)) : undefined;
  if (wanted !== undefined && here !== null && wanted.id !== here.id) {
    const { run = '' } = (input ?? {}) as { run?: string };
    throw refuse({ ctx: { run } as RunContext, theirs: wanted, here, activity, input, log });
  }
  if (ALERTS.has(activity)) return checkAlertFolder({ folder: here, log }, activity, input);
  if (here === null) throw folderChanged(dataDir, 'its identity (folder.json) is gone; restart the worker');
  const ctx = contextOf(activity, input);
  if (ctx === null) return;
  if (ctx.folder.id !== here.id) throw refuse({ ctx, theirs: ctx.folder, here, activity, input, log });
  if (activity === 'enterQuotaGate' || endsBadly(activity, input)) return;
  const record = AFTER_CLOSE.has(activity) ? 'close' : 'open';
  if (await hasRunRecord(data, ctx, record)) return;
  throw folderChanged(
    dataDir,
    `its landing zone lacks the record "${record}" of run ${ctx.run} (stream runs, date ${ctx.date})`,
  );
}

/**
 * Rejects an alert of a run with another data folder, because only the worker with that folder knows the run's targets.
 * Accepts the alert if the folder at the run's own path was replaced, because the alert may report this replacement.
 */
function checkAlertFolder(
  { folder: here, log }: { folder: DataFolder | null; log: Deps['log'] },
  activity: keyof Activities,
  input: unknown,
): void {
  const ctx = contextOf(activity, input);
  const theirs = ctx?.folder;
  if (!ctx || !theirs || !here || theirs.id === here.id) return;
  if (theirs.host === here.host && theirs.path === here.path) return;
  throw refuse({ ctx, theirs, here, activity, input, log });
}

/** An activity whose run belongs to another data folder than the worker's. */
interface Misplaced {
  ctx: RunContext;
  /** The run's folder. */
  theirs: DataFolder;
  /** The worker's folder. */
  here: DataFolder;
  activity: keyof Activities;
  input: unknown;
  log: Deps['log'];
}

function refuse(misplaced: Misplaced): Error {
  const { ctx, theirs, here, activity, log } = misplaced;
  // The host and the path are the same, but the id differs. The run's folder was replaced, so no worker can have it.
  if (theirs.host === here.host && theirs.path === here.path)
    return folderChanged(here.path, `its id was ${theirs.id} when the run began and is ${here.id} now`);
  const givenUp = Date.now() - Context.current().info.scheduledTimestampMs > patienceOf(misplaced);
  const refusals = countRefusal();
  const message = [
    `This run belongs to the data folder ${describeFolder(theirs)}; this worker has ${describeFolder(here)} and refused the work.`,
    givenUp
      ? 'No worker with the data folder of the run started in time.'
      : 'The run waits for a worker with its data folder.',
    `Start a worker with that folder (tidemark worker) or cancel the run. Give each data folder its own Temporal namespace (TEMPORAL_NAMESPACE).`,
  ].join(' ');
  if (refusals === 1) log.warn({ run: ctx.run, activity }, message);
  const type: ErrorType = 'OtherDataFolder';
  return ApplicationFailure.create({
    type,
    message,
    details: [{ run: theirs, worker: here }],
    ...(givenUp ? { nonRetryable: true } : { nextRetryDelay: refusals <= QUICK_REFUSALS ? QUICK_PAUSE : LONG_PAUSE }),
  });
}

function patienceOf({ ctx, activity, input }: Misplaced): number {
  if (ALERTS.has(activity) || WITHOUT_RUN.has(activity)) return PATIENCE_MS;
  const asksForAnother = Context.current().info.workflowExecution?.workflowId !== ctx.workflowId;
  if (asksForAnother) return GATE_PATIENCE_MS;
  return endsBadly(activity, input) ? CLOSING_PATIENCE_MS : PATIENCE_MS;
}

/** Returns the data folder that a workflow names for an activity without a run (workflows/run/own-folder.ts). */
function folderIn(input: unknown): DataFolder | undefined {
  return (input as { folder?: DataFolder } | null | undefined)?.folder;
}

/** Returns the run that an activity works for; null for activities that open a run or belong to none. */
export function contextOf(activity: keyof Activities, input: unknown): RunContext | null {
  if (WITHOUT_RUN.has(activity)) return null;
  const given = input as { ctx?: RunContext; waiter?: { ctx: RunContext }; alert?: Alert };
  // `refuse` needs only these fields of a run.
  if (given.alert) return { run: given.alert.run ?? '', folder: given.alert.folder } as RunContext;
  return given.ctx ?? given.waiter?.ctx ?? (input as RunContext);
}

/**
 * Whether the activity records that a run failed or was cancelled. Every worker with the run's folder may write this
 * record, even if the folder lacks the run's other records.
 */
function endsBadly(activity: keyof Activities, input: unknown): boolean {
  if (activity !== 'closeRun') return false;
  const { outcome } = input as CloseRunInput;
  return outcome === 'failed' || outcome === 'cancelled';
}
