/*
 * What `tidemark/workflows` exports: names, ids and types to start runs from your own Temporal client. The workflows
 * themselves run only in Tidemark's workers.
 */
export { backfillId, resolveId, retryId, scheduledId, snapshotId, tendersId, watchId } from './ids.js';
export { CRAWL_QUEUE, WAREHOUSE_QUEUE } from './queues.js';
export type {
  BackfillInput,
  MarketSnapshotInput,
  RebuildInput,
  RetryRejectsInput,
  RunResult,
  TenderSnapshotInput,
  WatchSyncInput,
  WorkflowType,
} from '../schemas/pipeline/run.js';
