import type { Logger } from 'pino';
import type { DataFolder } from '../../schemas/pipeline/run.js';
import type { ApiClient } from '../api-client/index.js';
import type { Clock } from '../core/clock.js';
import type { Config } from '../core/config.js';
import type { RunSizes } from '../core/run-sizes.js';
import type { StampClock } from '../core/stamp-clock.js';
import type { AtWork } from './concurrency-share.js';

/** Dependencies of every crawl activity. Built once per worker process. */
export interface CrawlDeps {
  config: Config;
  client: ApiClient;
  /** Time that decides logical dates and due records. */
  clock: Clock;
  /** Gives observations and records their timestamps. Default: `clock`. */
  stamps?: StampClock;
  log: Logger;
  /** The worker's data folder. If unset, the worker accepts the folder of any run. */
  folder?: DataFolder;
  /** Sizes for runs that this worker opens. If unset, the runs use the defaults. */
  sizes?: RunSizes;
  /** Workers and runs that share the API key, from the latest count. If unset, no other worker uses the API key. */
  atWork?: Readonly<AtWork>;
}

/** Connects a crawl function to its activity: sends heartbeats and reports cancellation. */
export interface Heartbeat {
  /** Reports progress. May be called often, because heartbeats are throttled. */
  report(progress: { step: string; done: number; total: number | null; requests: number }): void;
  /** Aborted when the worker shuts down or the run is cancelled. */
  signal: AbortSignal;
  /** Attempt of the activity, from 1. */
  attempt: number;
  /** When Temporal scheduled the activity's first attempt, in milliseconds since 1970. Default: now. */
  since?: number;
}
