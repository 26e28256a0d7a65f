import type { Client } from '@temporalio/client';
import { PERMISSION_DENIED, UNIMPLEMENTED } from './grpc-status.js';

/** Kinds of tasks that a queue holds: temporal.api.enums.v1.TaskQueueType. */
export const TaskType = { workflow: 1, activity: 2 } as const;
export type TaskType = (typeof TaskType)[keyof typeof TaskType];

/** A worker that polled a queue in the last minutes. One that polls several partitions is listed for each. */
export interface Poller {
  identity?: string | null;
  lastAccessTime?: { seconds?: { toString(): string } | null } | null;
  deploymentOptions?: { buildId?: string | null; workerVersioningMode?: unknown } | null;
}

/**
 * Lists the workers that poll a queue, with and without a version. Asks each partition of the queue, because a
 * partition knows only its own pollers.
 * @throws ServiceError when the server does not answer
 */
export async function readPollers(client: Client, queue: string, type: TaskType): Promise<Poller[]> {
  const { workflowService, options } = client;
  const answers = await Promise.all(
    (await listPartitions(client, queue, type)).map((name) =>
      workflowService.describeTaskQueue({
        namespace: options.namespace,
        taskQueue: { name },
        taskQueueType: type,
      }),
    ),
  );
  return answers.flatMap(({ pollers }) => pollers ?? []);
}

/** Returns the names of the partitions of a queue. If the server does not tell them, returns only the first one. */
async function listPartitions({ workflowService, options }: Client, queue: string, type: TaskType): Promise<string[]> {
  try {
    const { activityTaskQueuePartitions, workflowTaskQueuePartitions } = await workflowService.listTaskQueuePartitions({
      namespace: options.namespace,
      taskQueue: { name: queue },
    });
    const partitions = type === TaskType.activity ? activityTaskQueuePartitions : workflowTaskQueuePartitions;
    const names = (partitions ?? []).flatMap(({ key }) => (key ? [key] : []));
    return names.length > 0 ? names : [queue];
  } catch (error) {
    const { code } = error as { code?: number };
    if (code === UNIMPLEMENTED || code === PERMISSION_DENIED) return [queue];
    throw error;
  }
}
