import type { Client } from '@temporalio/client';
import { CRAWL_QUEUE, STANDBY_QUEUE, WAREHOUSE_QUEUE } from '../../workflows/queues.js';
import type { WarehouseActivities } from '../../activities/contract.js';
import { isDeadHere, parseIdentity, recentPollers } from './crawl-workers.js';
import { describeOpen, type OpenWorkflows } from './describe-open.js';
import { TaskType } from './pollers.js';

// temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
const STARTED = 2;

/** What a worker does: a queue that it polls, or `standby` if it waits for the lease of the warehouse. */
export type WorkerRole = 'crawl' | 'warehouse' | 'standby';

/** A process that polled a queue in the last 90 s, or runs an activity. */
export interface ListedWorker {
  /** `process@host`. */
  worker: string;
  roles: WorkerRole[];
  /**
   * When the server saw its last poll, as an ISO instant. Null if this was more than 90 s ago: a worker does not poll
   * while it runs as many activities as it may.
   */
  polledAt: string | null;
  /** The activities that it runs now. */
  doing: { activity: string; workflowId: string; count: number }[];
}

const QUEUES: readonly [WorkerRole, string][] = [
  ['crawl', CRAWL_QUEUE],
  ['warehouse', WAREHOUSE_QUEUE],
  ['standby', STANDBY_QUEUE],
];
const OF_WAREHOUSE: Readonly<Record<keyof WarehouseActivities, true>> = {
  planDue: true,
  loadEarly: true,
  loadLanding: true,
  buildModels: true,
  publishWarehouse: true,
  rebuildWarehouse: true,
};

/**
 * Lists the workers of all queues, and the activities that each of them runs now. Leaves out processes of this machine
 * that have ended. Another process counts for up to 90 s after its end, or as long as the server waits for its activity.
 * @param open the open workflows, if the caller has described them
 * @returns workers in the order of their names
 * @throws ServiceError when the server does not answer
 */
export async function listWorkers(client: Client, open = describeOpen(client)): Promise<ListedWorker[]> {
  const [polls, running] = await Promise.all([
    Promise.all(
      QUEUES.map(async ([role, queue]) => {
        const pollers = await recentPollers(client, queue, TaskType.activity);
        return pollers.map(({ identity, lastAccessTime }) => ({
          identity: identity ?? '',
          role,
          seconds: Number(lastAccessTime?.seconds ?? 0),
        }));
      }),
    ),
    open.then(runningActivities),
  ]);
  return mergeWorkers(
    polls.flat(),
    running.filter(({ identity }) => !isDeadHere(identity)),
  );
}

/** The last poll of a queue by a process, in seconds since 1970. */
interface Poll {
  identity: string;
  role: WorkerRole;
  seconds: number;
}

/** An activity that a process runs. */
interface RunningActivity {
  identity: string;
  activity: string;
  workflowId: string;
}

/** Merges the polls and activities of each process. A worker that runs as many activities as it may has no recent poll. */
export function mergeWorkers(polls: readonly Poll[], running: readonly RunningActivity[]): ListedWorker[] {
  const identities = new Set([...polls, ...running].map(({ identity }) => identity));
  return [...identities]
    .map((identity) => {
      const own = polls.filter((poll) => poll.identity === identity);
      const work = running.filter((one) => one.identity === identity);
      const roles = new Set([...own.map(({ role }) => role), ...work.map(({ activity }) => roleOf(activity))]);
      // The holder of the lease polls the queue of the standby, too.
      if (roles.has('warehouse')) roles.delete('standby');
      return {
        worker: parseIdentity(identity).name,
        roles: [...roles],
        polledAt:
          own.length === 0 ? null : new Date(Math.max(...own.map(({ seconds }) => seconds)) * 1_000).toISOString(),
        doing: countEqual(work),
      };
    })
    .toSorted((a, b) => a.worker.localeCompare(b.worker));
}

/** Returns the role of a worker that runs an activity. */
function roleOf(activity: string): WorkerRole {
  return activity in OF_WAREHOUSE ? 'warehouse' : 'crawl';
}

function runningActivities(open: OpenWorkflows): RunningActivity[] {
  return open.flatMap(({ workflowId, raw }) =>
    (raw.pendingActivities ?? [])
      .filter(({ state }) => Number(state) === STARTED)
      .map(({ activityType, lastWorkerIdentity }) => ({
        identity: lastWorkerIdentity ?? '',
        activity: activityType?.name ?? '',
        workflowId,
      })),
  );
}

function countEqual(running: readonly RunningActivity[]): ListedWorker['doing'] {
  const counts = new Map<string, ListedWorker['doing'][number]>();
  for (const { activity, workflowId } of running) {
    const key = `${activity} ${workflowId}`;
    counts.set(key, { activity, workflowId, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
