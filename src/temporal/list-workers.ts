import type { Client } from '@temporalio/client';
import { CRAWL_QUEUE, PARTITION_QUEUE, STANDBY_QUEUE, WAREHOUSE_QUEUE } from '../../workflows/queues.js';
import { parseIdentity, recentPollers } from './crawl-workers.js';
import { TaskType } from './pollers.js';

// temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
const STARTED = 2;

/** What a worker does: a queue that it polls, or `standby` if it waits for the lease of the warehouse. */
export type WorkerRole = 'crawl' | 'warehouse' | 'partitions' | 'standby';

/** A process that polled a queue in the last 90 s. */
export interface ListedWorker {
  /** `process@host`. */
  worker: string;
  roles: WorkerRole[];
  /** When the server saw its last poll, as an ISO instant. A worker that is idle or full polls about once a minute. */
  polledAt: string;
  /** The activities that it runs now. */
  doing: { activity: string; workflowId: string; count: number }[];
}

const QUEUES: readonly [WorkerRole, string][] = [
  ['crawl', CRAWL_QUEUE],
  ['warehouse', WAREHOUSE_QUEUE],
  ['standby', STANDBY_QUEUE],
  ['partitions', PARTITION_QUEUE],
];

/**
 * Lists the workers of all queues, and the activities of open runs that each of them runs now. Leaves out processes of
 * this machine that have ended. Another process counts for up to 90 s after its end.
 * @returns workers in the order of their names
 * @throws ServiceError when the server does not answer
 */
export async function listWorkers(client: Client): Promise<ListedWorker[]> {
  const [polls, running] = await Promise.all([
    Promise.all(
      QUEUES.map(async ([role, queue]) => ({ role, pollers: await recentPollers(client, queue, TaskType.activity) })),
    ),
    runningActivities(client),
  ]);
  const found = new Map<string, { roles: Set<WorkerRole>; seconds: number }>();
  for (const { role, pollers } of polls) {
    for (const { identity, lastAccessTime } of pollers) {
      const worker = found.get(identity ?? '') ?? { roles: new Set(), seconds: 0 };
      worker.roles.add(role);
      worker.seconds = Math.max(worker.seconds, Number(lastAccessTime?.seconds ?? 0));
      found.set(identity ?? '', worker);
    }
  }
  return [...found]
    .map(([identity, { roles, seconds }]) => ({
      worker: parseIdentity(identity).name,
      // The holder of the lease polls the queue of the standby, too.
      roles: [...roles].filter((role) => role !== 'standby' || !roles.has('warehouse')),
      polledAt: new Date(seconds * 1_000).toISOString(),
      doing: countEqual(running.filter((one) => one.identity === identity)),
    }))
    .toSorted((a, b) => a.worker.localeCompare(b.worker));
}

interface RunningActivity {
  identity: string;
  activity: string;
  workflowId: string;
}

async function runningActivities(client: Client): Promise<RunningActivity[]> {
  const query = `TaskQueue = '${CRAWL_QUEUE}' AND ExecutionStatus = 'Running'`;
  const found: RunningActivity[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) {
    // The list is about a second late, so the run may have ended.
    const description = await client.workflow
      .getHandle(workflowId)
      .describe()
      .catch(() => null);
    for (const { state, activityType, lastWorkerIdentity } of description?.raw.pendingActivities ?? [])
      if (Number(state) === STARTED)
        found.push({ identity: lastWorkerIdentity ?? '', activity: activityType?.name ?? '', workflowId });
  }
  return found;
}

function countEqual(running: readonly RunningActivity[]): ListedWorker['doing'] {
  const counts = new Map<string, ListedWorker['doing'][number]>();
  for (const { activity, workflowId } of running) {
    const key = `${activity} ${workflowId}`;
    counts.set(key, { activity, workflowId, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
