/** Task queue of the workflows and the crawl activities. Any number of workers serve it. */
export const CRAWL_QUEUE = 'tidemark-crawl';
/**
 * Task queue of the warehouse activities. Its worker runs one activity at a time, because the warehouse has one writer.
 */
export const WAREHOUSE_QUEUE = 'tidemark-warehouse';

/** Workflow type of the quota gate (`quota-gate.ts`). */
export const QUOTA_GATE = 'quotaGate';
