/** Task queues (CONTRACT, "Temporal"). Workflows run on the crawl queue; only the warehouse has one writer. */
export const CRAWL_QUEUE = 'tidemark-crawl';
export const WAREHOUSE_QUEUE = 'tidemark-warehouse';
