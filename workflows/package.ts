import type {
  BackfillInput,
  EnrichOwnersInput,
  MarketSnapshotInput,
  RebuildInput,
  RebuildResult,
  RetryRejectsInput,
  RunResult,
  TenderSnapshotInput,
  WatchSyncInput,
} from '../schemas/pipeline/run.js';

/*
 * Exports of `tidemark/workflows`: names, ids and types with which your own Temporal client can start runs. The
 * workflows themselves run only in Tidemark's workers.
 */
export {
  backfillId,
  enrichId,
  ownersId,
  payeesId,
  resolveId,
  retryId,
  scheduledId,
  snapshotId,
  tendersId,
  watchId,
} from './ids.js';
export { CRAWL_QUEUE, WAREHOUSE_QUEUE } from './queues.js';
export type {
  BackfillInput,
  EnrichOwnersInput,
  MarketSnapshotInput,
  RebuildInput,
  RebuildResult,
  RetryRejectsInput,
  RunResult,
  TenderSnapshotInput,
  WatchSyncInput,
};

/**
 * The workflows that a program can start, each by its name:
 * `client.workflow.start<Workflows['marketSnapshot']>('marketSnapshot', { taskQueue: CRAWL_QUEUE, … })`.
 * Runs of a list (`tidemark resolve`, `enrich`, `payees`) need files that only the command writes.
 */
export interface Workflows {
  marketSnapshot(input?: MarketSnapshotInput): Promise<RunResult>;
  tenderSnapshot(input?: TenderSnapshotInput): Promise<RunResult>;
  watchSync(input?: WatchSyncInput): Promise<RunResult>;
  backfill(input: BackfillInput): Promise<RunResult>;
  retryRejects(input?: RetryRejectsInput): Promise<RunResult>;
  enrichOwners(input?: EnrichOwnersInput): Promise<RunResult>;
  rebuildWarehouse(input?: RebuildInput): Promise<RebuildResult>;
}
