import { setTimeout as delay } from 'node:timers/promises';
import type { Client, WorkflowExecutionDescription, WorkflowHandle } from '@temporalio/client';
import type { Progress, RunResult } from '../../../schemas/pipeline/run.js';
import { CRAWL_QUEUE } from '../../../workflows/queues.js';
import { advance, type Beat, type Observation, type ProgressView, type Retry, type RunState } from './run-state.js';
import { readPollers, TaskType } from '../pollers.js';

const LOOK_EVERY_MS = 500;
const QUERY_TIMEOUT_MS = 3_000;
// Asking for workers more often gains nothing, because the server still lists a stopped worker for a while.
const WORKERS_EVERY_MS = 5_000;

/** Result of `followRun`. Null when the user interrupted it; the run then continues. */
export type Followed<Result = RunResult> = { result: Result; state: RunState | null } | null;

/**
 * Waits for the end of a run and shows its progress about twice a second. Without a view, only waits.
 * @throws WorkflowFailedError when the run fails
 */
export async function followRun<Result = RunResult>(
  client: Client,
  handle: WorkflowHandle,
  view: ProgressView | null,
  options: { startedAt: Date; interrupted: AbortSignal },
): Promise<Followed<Result>> {
  const { startedAt, interrupted } = options;
  const end = (handle.result() as Promise<Result>).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  if (view === null) return waitForEnd(end, interrupted);
  let state: RunState | null = null;
  let workersSeenAt = -Infinity;
  let workers = true;
  try {
    for (;;) {
      if (performance.now() - workersSeenAt > WORKERS_EVERY_MS) {
        workers = await hasWorkers(client);
        workersSeenAt = performance.now();
      }
      const seen = await observe(client, handle, workers);
      state = advance(state, seen, Date.now(), startedAt.getTime());
      view.show(state);
      const ended = await Promise.race([end, delay(LOOK_EVERY_MS, null, { signal: interrupted }).catch(() => null)]);
      if (ended && 'error' in ended) throw ended.error;
      if (ended) {
        // The last observation was made before the end. Observe the run once more, so that the progress bars are full.
        if (workers) state = advance(state, await observe(client, handle, true), Date.now(), startedAt.getTime());
        view.show(state);
        return { result: ended.result, state };
      }
      if (interrupted.aborted) return null;
    }
  } finally {
    view.done();
  }
}

/** Waits without observing the run: each observation costs a query, which the worker answers. */
async function waitForEnd<Result>(
  end: Promise<{ result: Result } | { error: unknown }>,
  interrupted: AbortSignal,
): Promise<Followed<Result>> {
  const interrupt = new Promise<null>((resolve) => {
    if (interrupted.aborted) resolve(null);
    interrupted.addEventListener('abort', () => resolve(null), { once: true });
  });
  const ended = await Promise.race([end, interrupt]);
  if (ended === null) return null;
  if ('error' in ended) throw ended.error;
  return { result: ended.result, state: null };
}

/** Observes a run once: reads the workflow's progress and the last heartbeats of its activities. */
async function observe(client: Client, handle: WorkflowHandle, workers: boolean): Promise<Observation> {
  const [progress, description] = await Promise.all([
    // Skip the query if there is no worker, because the query would time out.
    workers ? queryProgress(client, handle) : null,
    handle.describe().catch(() => null),
  ]);
  const pending = description ? pendingActivities(description) : [];
  const slowed = description ? slowedOf(description) : [];
  return { progress, workers, beats: pending.flatMap(beatOf), retries: pending.flatMap(retryOf), slowed };
}

async function queryProgress(client: Client, handle: WorkflowHandle): Promise<Progress | null> {
  try {
    return await client.connection.withDeadline(Date.now() + QUERY_TIMEOUT_MS, async () =>
      handle.query<Progress>('progress'),
    );
  } catch {
    // The run is not open yet, has just continued as new, or its worker restarts. Return null; the next observation
    // tries again.
    return null;
  }
}

type Pending = NonNullable<NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number]>;

function pendingActivities(description: WorkflowExecutionDescription): Pending[] {
  return description.raw.pendingActivities ?? [];
}

type Details = Partial<Beat> & { slowed?: string };

function detailsOf(activity: Pending): Details {
  const data = activity.heartbeatDetails?.payloads?.[0]?.data;
  try {
    return (JSON.parse(Buffer.from(data ?? []).toString('utf8')) as Details | null) ?? {};
  } catch {
    return {};
  }
}

function beatOf(activity: Pending): Beat[] {
  const { step, done, total = null, requests = 0, table } = detailsOf(activity);
  if (typeof step !== 'string' || typeof done !== 'number') return [];
  const beat = { activity: activity.activityType?.name ?? '', step, done, total, requests };
  return [table === undefined ? beat : { ...beat, table }];
}

/** Says how `limit` answers slow down workers of a run. Empty if they do not. */
export function slowedOf(description: WorkflowExecutionDescription): string[] {
  return [...new Set(pendingActivities(description).flatMap((activity) => detailsOf(activity).slowed ?? []))];
}

/** Lists the failed activities of a run that wait for their next attempt. */
export function retriesOf(description: WorkflowExecutionDescription): Retry[] {
  return pendingActivities(description).flatMap(retryOf);
}

function retryOf(activity: Pending): Retry[] {
  const attempt = activity.attempt ?? 1;
  const message = activity.lastFailure?.message;
  if (attempt < 2 || !message) return [];
  return [{ activity: activity.activityType?.name ?? '', attempt: attempt - 1, message }];
}

async function hasWorkers(client: Client): Promise<boolean> {
  try {
    return (await readPollers(client, CRAWL_QUEUE, TaskType.workflow)).length > 0;
  } catch {
    return true;
  }
}
