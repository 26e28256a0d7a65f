import type { Logger } from 'pino';
import type { DataFolder } from '../../schemas/pipeline/run.js';
import type { ApiClient } from '../api-client/index.js';
import type { Clock } from '../core/clock.js';
import type { Config } from '../core/config.js';
import type { RunSizes } from '../core/run-sizes.js';
import type { StampClock } from '../core/stamp-clock.js';
import type { AtWork } from './lanes.js';

/** What crawling needs; built once per worker process. */
export interface CrawlDeps {
  config: Config;
  client: ApiClient;
  /** Decides: dates, what is due. */
  clock: Clock;
  /** Stamps what is observed and filed; left out: `clock` does. */
  stamps?: StampClock;
  log: Logger;
  /** The worker's data folder; left out: runs are not held to theirs. */
  folder?: DataFolder;
  /** Sizes for the runs that the worker opens; left out: the defaults. */
  sizes?: RunSizes;
  /** Kept up to date by the worker; left out: nobody else is at work. */
  atWork?: Readonly<AtWork>;
}

/** How an activity tells that it lives, and learns that it should stop. */
export interface Pulse {
  /** Cheap; the heartbeat behind it is throttled. */
  beat(progress: { step: string; done: number; total: number | null; requests: number }): void;
  /** Aborted when the worker shuts down or the run is cancelled. */
  signal: AbortSignal;
  /** Which try of the activity this is, from 1. */
  attempt: number;
  /** When the activity was first to begin, in milliseconds since 1970; left out: just now. */
  since?: number;
}
