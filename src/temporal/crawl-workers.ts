import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { CRAWL_QUEUE } from '../../workflows/queues.js';

const LOOK_EVERY_MS = 10_000;
// A worker asks for work at least once a minute; one that did not for longer is gone.
const SEEN_WITHIN_MS = 90_000;
// temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY
const ACTIVITIES = 2;
// temporal.api.enums.v1.DescribeTaskQueueMode.DESCRIBE_TASK_QUEUE_MODE_ENHANCED
const ENHANCED = 1;

/** Of this process, as the server knows it. */
export function workerIdentity(): string {
  return `${process.pid}@${hostname()}`;
}

/**
 * Crawl workers on the queue besides this one.
 * @throws ServiceError when the server does not answer
 */
export async function countOtherWorkers(client: Client, identity: string): Promise<number> {
  const since = Date.now() - SEEN_WITHIN_MS;
  const pollers = await readPollers(client);
  const seen = pollers.filter(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1_000 >= since);
  const others = new Set(seen.map((poller) => poller.identity ?? ''));
  others.delete(identity);
  return [...others].filter((other) => !isDeadHere(other)).length;
}

/** Who asks for work. The plain answer knows only one of the parts a queue has; servers before 1.24 give no other. */
async function readPollers(client: Client): Promise<Poller[]> {
  const queue = {
    namespace: client.options.namespace,
    taskQueue: { name: CRAWL_QUEUE },
    taskQueueType: ACTIVITIES,
  };
  const all = { ...queue, apiMode: ENHANCED, taskQueueTypes: [ACTIVITIES], reportPollers: true };
  const { versionsInfo } = await client.workflowService.describeTaskQueue(all);
  const found = Object.values(versionsInfo ?? {}).flatMap(({ typesInfo }) => typesInfo?.[ACTIVITIES]?.pollers ?? []);
  if (found.length > 0) return found;
  return (await client.workflowService.describeTaskQueue(queue)).pollers ?? [];
}

interface Poller {
  identity?: string | null;
  lastAccessTime?: { seconds?: { toString(): string } | null } | null;
}

/**
 * Tells how many crawl workers there are, this one included: once before it resolves, then whenever that changes,
 * until `stop`. What holds for all of them together (requests in flight, requests a second) is shared out by it.
 */
export async function watchWorkers(
  client: Client,
  { identity, onCount, stop }: { identity: string; onCount: (workers: number) => void; stop: AbortSignal },
): Promise<void> {
  let told = 0;
  const look = async (): Promise<void> => {
    // While the server is away there is no new work either.
    const others = await countOtherWorkers(client, identity).catch(() => null);
    if (others === null || others + 1 === told) return;
    told = others + 1;
    onCount(told);
  };
  await look();
  void (async () => {
    for (;;) {
      await delay(LOOK_EVERY_MS, undefined, { signal: stop, ref: false });
      await look();
    }
  })().catch(() => undefined);
}

/** Whether it is a process of this machine that has ended: the server remembers it for minutes. */
function isDeadHere(identity: string): boolean {
  const [, pid, host] = /^(\d+)@(.*)$/.exec(identity) ?? [];
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
