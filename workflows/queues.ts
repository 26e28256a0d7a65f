/** Task queues (CONTRACT, "Temporal"). Workflows run on the crawl queue; only the warehouse has one writer. */
export const CRAWL_QUEUE = 'tidemark-crawl';
export const WAREHOUSE_QUEUE = 'tidemark-warehouse';

/** Type of the workflow that keeps the daily quota of an API key (`quota-gate.ts`). */
export const QUOTA_GATE = 'quotaGate';
