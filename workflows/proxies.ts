import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { CrawlActivities, WarehouseActivities } from '../activities/contract.js';
import { CRAWL_QUEUE, WAREHOUSE_QUEUE } from './queues.js';

// Failures are told apart by type in activities/cast-errors.ts, which also says which are worth another try; so the
// policies here only space the tries out. Nothing has a scheduleToClose: a night may wait a day for quota.

/** Deciding and small records: seconds. */
export const quick = proxyActivities<CrawlActivities>({
  taskQueue: CRAWL_QUEUE,
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/**
 * Talking to the API for minutes: a missed heartbeat tells of a dead worker long before the chunk's timeout. One that is
 * cancelled has ended before the run goes on: what it sent is booked when the run closes.
 */
export const crawl = proxyActivities<CrawlActivities>({
  taskQueue: CRAWL_QUEUE,
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '20 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});

/** The one writer: heavy SQL, one activity at a time. */
export const warehouse = proxyActivities<WarehouseActivities>({
  taskQueue: WAREHOUSE_QUEUE,
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '1 minute',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '1 minute' },
});
