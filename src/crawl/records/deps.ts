import type { Logger } from 'pino';
import type { DataFolder } from '../../../schemas/pipeline/run.js';
import type { ApiClient } from '../../api/index.js';
import type { Clock } from '../../base/time/clock.js';
import type { Config } from '../../config/config.js';
import type { RunSizes } from '../../config/run-sizes.js';
import type { StampClock } from '../../base/time/stamp-clock.js';
import type { ChunkOrder } from '../../api/chunk-order.js';
import type { AtWork } from '../../api/concurrency-share.js';

/** What every crawl activity needs. Created once per worker process. */
export interface CrawlDeps {
  config: Config;
  client: ApiClient;
  /** Decides the dates of nights and which records are due. */
  clock: Clock;
  /** Gives landed rows their timestamps. Default: `clock`. */
  stamps?: StampClock;
  log: Logger;
  /** The worker's data folder. If unset, the worker accepts the folder of any run. */
  folder?: DataFolder;
  /** Chunk size and history size of the runs that this worker opens. If unset, workflows use their defaults. */
  sizes?: RunSizes;
  /** The workers that share the API key, as counted last. If unset, no other worker uses the API key. */
  atWork?: Readonly<AtWork>;
  /** Waits until the other workers have counted this one. If unset, there is nothing to wait for. */
  counted?: (signal: AbortSignal) => Promise<void>;
  /** Seconds between two polls of a job about owners. Default: 5 minutes. */
  ownerPollSeconds?: number;
  /** Order of the chunks that this worker fetches at the same time. If unset, all have the same precedence. */
  order?: ChunkOrder;
}

/** Returns how many requests this worker may have in flight. */
export function mostInFlight({ config, atWork }: Pick<CrawlDeps, 'config' | 'atWork'>): number {
  return atWork?.inFlight ?? config.api.maxConcurrency;
}

/** Progress of an activity, as its heartbeat carries it. */
export interface StepProgress {
  step: string;
  done: number;
  total: number | null;
  requests: number;
  /** Name of the table on which the activity works. Only while models are built and tables are published. */
  table?: string;
}

/** Connects a crawl function to its activity: sends heartbeats, and tells the function when to stop. */
export interface Heartbeat {
  /** Reports progress. May be called often: the sending of heartbeats is throttled. */
  report(progress: StepProgress): void;
  /** Aborted when the worker shuts down or the run is cancelled. */
  signal: AbortSignal;
  /**
   * Number of this attempt of the activity, from 1. Attempts that another data folder's worker refused do not count.
   */
  attempt: number;
  /** When Temporal first scheduled the activity, in milliseconds since 1970. Default: now. */
  since?: number;
}
