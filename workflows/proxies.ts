import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { AlertActivities, CrawlActivities, WarehouseActivities } from '../activities/contract.js';
import { CHUNK_QUEUE, CRAWL_QUEUE, WAREHOUSE_QUEUE } from './queues.js';

// activities/run/cast-errors.ts decides which failures are retried. The retry policies here only set the time between
// attempts. No proxy of a run sets scheduleToClose, because a night may wait a day for quota.

/** Activities that take seconds: they make decisions or land small records. */
export const quick = proxyActivities<CrawlActivities & Omit<AlertActivities, 'sendAlert'>>({
  taskQueue: CRAWL_QUEUE,
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/**
 * Activities that call the API for minutes. A missed heartbeat reveals a dead worker long before the timeout. On
 * cancellation, the run waits until the activity ends, so that its closing record counts all requests.
 */
const minutes = {
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
} as const;
export const crawl = proxyActivities<CrawlActivities>({ taskQueue: CRAWL_QUEUE, ...minutes });

/** The same, for chunks that spread over several workers. */
export const spread = proxyActivities<Pick<CrawlActivities, 'crawlChunk'>>({ taskQueue: CHUNK_QUEUE, ...minutes });

/** Activities that run heavy SQL. The worker runs one of them at a time, because the warehouse has one writer. */
export const warehouse = proxyActivities<WarehouseActivities>({
  taskQueue: WAREHOUSE_QUEUE,
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** A load while the run fetches other answers. One attempt, because the load at the run's end reads what it left. */
export const early = proxyActivities<Pick<WarehouseActivities, 'loadEarly'>>({
  taskQueue: WAREHOUSE_QUEUE,
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '1 minute',
  retry: { maximumAttempts: 1 },
});

/**
 * Sends alerts. A worker that is killed is noticed by its missing heartbeat. After a week of attempts, the alert counts
 * as not delivered.
 */
export const delivery = proxyActivities<Pick<AlertActivities, 'sendAlert'>>({
  taskQueue: CRAWL_QUEUE,
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '20 seconds',
  scheduleToCloseTimeout: '7 days',
  retry: { initialInterval: '5 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
});
