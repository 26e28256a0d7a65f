/*
 * Exports of `tidemark/workflows`: names, ids and types with which your own Temporal client can start runs. The
 * workflows themselves run only in Tidemark's workers.
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
