/** Task queue of the workflows and the crawl activities. Any number of workers serve it. */
export const CRAWL_QUEUE = 'tidemark-crawl';
/**
 * Task queue of the chunks of runs that several workers share. Each worker takes few chunks at a time, so that the
 * chunks spread over the workers.
 */
export const CHUNK_QUEUE = 'tidemark-chunks';
/**
 * Most chunks that one worker fetches at the same time: while one lands its part, the other keeps sending requests. The
 * worker sends the requests of the earlier chunk first (src/api/limiter.ts), so the two chunks end at
 * different times.
 */
export const CHUNKS_OF_WORKER = 2;
/**
 * Task queue of the warehouse activities. Its worker runs one activity at a time, because the warehouse has one writer.
 */
export const WAREHOUSE_QUEUE = 'tidemark-warehouse'; /**
 * Queue of the warehouse workers with the data in a bucket, also of those that wait for the lease of the warehouse. No
 * work is sent there. The server lists who polls a queue, so commands can show a standby.
 */
export const STANDBY_QUEUE = 'tidemark-standby';

/** Workflow type of the quota gate (`quota-gate.ts`). */
export const QUOTA_GATE = 'quotaGate';
