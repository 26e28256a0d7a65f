/** Task queues. Workflows and crawl activities share the crawl queue; any number of workers serve it. */
export const CRAWL_QUEUE = 'tidemark-crawl';
/** One activity at a time: the warehouse has one writer. */
export const WAREHOUSE_QUEUE = 'tidemark-warehouse';

/** Workflow type of the quota gate (`quota-gate.ts`). */
export const QUOTA_GATE = 'quotaGate';
