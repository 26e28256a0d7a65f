import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { CRAWL_QUEUE } from '../../workflows/queues.js';

const LOOK_EVERY_MS = 10_000;
// A worker asks for work at least once a minute; one that did not for longer is gone.
const SEEN_WITHIN_MS = 90_000;
// temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY
const ACTIVITIES = 2;

/**
 * Crawl workers on the queue besides the one of `identity`.
 * @throws ServiceError when the server does not answer
 */
export async function countOtherWorkers(client: Client, identity: string): Promise<number> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: CRAWL_QUEUE },
    taskQueueType: ACTIVITIES,
  });
  const since = Date.now() - SEEN_WITHIN_MS;
  const seen = (pollers ?? []).filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 >= since);
  const others = new Set(seen.map((poller) => poller.identity));
  others.delete(identity);
  return others.size;
}

/**
 * Keeps all crawl workers together at `requestsPerSecond`: each takes an even share of it, and more when others leave.
 * Resolves once it took its first share; goes on until `stop`.
 */
export async function sharePace(
  client: Client,
  { identity, requestsPerSecond, setPace, stop }: SharedPace,
): Promise<void> {
  const look = async (): Promise<void> => {
    // While the server is away there is no new work either.
    const others = await countOtherWorkers(client, identity).catch(() => null);
    if (others !== null) setPace(requestsPerSecond / (others + 1));
  };
  await look();
  void (async () => {
    for (;;) {
      await delay(LOOK_EVERY_MS, undefined, { signal: stop, ref: false });
      await look();
    }
  })().catch(() => undefined);
}

export interface SharedPace {
  /** Of this worker, as the server knows it. */
  identity: string;
  requestsPerSecond: number;
  setPace: (requestsPerSecond: number) => void;
  stop: AbortSignal;
}
