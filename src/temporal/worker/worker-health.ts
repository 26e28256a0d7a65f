import type { Client } from '@temporalio/client';
import type { Worker } from '@temporalio/worker';
import { errorMessage } from '../../base/errors.js';
import type { Health } from '../../serve/metrics/serve.js';
import { hasPolled } from '../crawl-workers.js';

const ANSWER_WITHIN_MS = 5_000;

/** The part of a worker that the check reads. */
export type PollingWorker = Pick<Worker, 'getState' | 'getStatus'> & {
  options: { taskQueue: string; maxConcurrentActivityTaskExecutions?: number };
};

/**
 * Checks that the server answers, and has seen this process poll each of its queues in the last 90 s. A worker does not poll while
 * it runs as many activities as it may. For such a worker, and for a standby, it is enough that the server answers.
 * @param workers those that poll now; none for a standby
 */
export async function checkPolls(client: Client, identity: string, workers: readonly PollingWorker[]): Promise<Health> {
  const queues = workers.map(({ options }) => options.taskQueue);
  for (const worker of workers) {
    const queue = worker.options.taskQueue;
    if (worker.getState() !== 'RUNNING')
      return { healthy: false, text: `The worker of ${queue} is ${worker.getState().toLowerCase()}.` };
    const deadline = Date.now() + ANSWER_WITHIN_MS;
    try {
      const polled = await client.withDeadline(deadline, () => hasPolled(client, queue, identity));
      if (!polled && !isFull(worker))
        return { healthy: false, text: `Temporal has seen no poll of ${queue} in the last 90 s.` };
    } catch (error) {
      return { healthy: false, text: `Temporal does not answer: ${errorMessage(error)}` };
    }
  }
  return workers.length === 0 ? checkAnswer(client) : { healthy: true, text: `polling ${queues.join(', ')}` };
}

async function checkAnswer(client: Client): Promise<Health> {
  try {
    await client.withDeadline(Date.now() + ANSWER_WITHIN_MS, () => client.workflowService.getSystemInfo({}));
    return { healthy: true, text: 'on standby' };
  } catch (error) {
    return { healthy: false, text: `Temporal does not answer: ${errorMessage(error)}` };
  }
}

function isFull(worker: PollingWorker): boolean {
  const { maxConcurrentActivityTaskExecutions: most = Infinity } = worker.options;
  return worker.getStatus().numInFlightActivities >= most;
}
