import type { Client } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { DataFolder } from '../../../schemas/pipeline/run.js';
import type { Clock } from '../../base/time/clock.js';
import type { Config } from '../../config/config.js';
import type { Data } from '../../store/data.js';
import type { StampClock } from '../../base/time/stamp-clock.js';
import type { MetricsAddress } from '../../serve/metrics/serve.js';
import type { Tracing } from '../../serve/tracing/tracing.js';
import type { WorkerMetrics } from './worker-metrics.js';

/** The task queues that a worker polls: one of them, or `all`. */
export type Role = 'crawl' | 'warehouse' | 'all';

/** Whether a worker runs workflows and calls the API. */
export function isCrawling(role: Role): boolean {
  return role === 'crawl' || role === 'all';
}

/** Input of `runWorker`. */
export interface WorkerSetup {
  config: Config;
  role: Role;
  clock: Clock;
  log: Logger;
  /**
   * Aborts when the worker must stop. Running activities are then cancelled and land their answers; the next worker
   * continues them.
   */
  stop: AbortSignal;
  /** As `ownerPollSeconds` of `CrawlDeps`. Tests set it. */
  ownerPollSeconds?: number | undefined;
  /** Address at which to serve metrics; null: do not serve them. */
  metrics: MetricsAddress | null;
  /** `metrics`: address of the metrics; null if they are off. */
  onReady: (info: { queues: string[]; address: string; namespace: string; metrics: string | null }) => void;
}

/** What the workers of one process share. */
export interface WorkerParts extends Pick<WorkerSetup, 'config' | 'clock' | 'log' | 'stop' | 'ownerPollSeconds'> {
  data: Data;
  stamps: StampClock;
  folder: DataFolder;
  /** Null: the metrics are off. */
  metrics: WorkerMetrics | null;
  /** Null: tracing is off. */
  tracing: Tracing | null;
  temporal: Client;
  options: Pick<
    WorkerOptions,
    'connection' | 'namespace' | 'maxHeartbeatThrottleInterval' | 'interceptors' | 'sinks'
  > & { identity: string };
}
