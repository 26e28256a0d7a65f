import type { Logger } from 'pino';
import type { DataFolder } from '../../../schemas/pipeline/run.js';
import type { ApiClient } from '../../api/index.js';
import type { Clock } from '../../base/time/clock.js';
import type { Config } from '../../config/config.js';
import type { Data } from '../../store/data.js';
import type { RunSizes } from '../../config/run-sizes.js';
import type { StampClock } from '../../base/time/stamp-clock.js';

/** What every crawl activity needs. Created once per worker process. */
export interface CrawlDeps {
  config: Config;
  data: Data;
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
  /** Waits until the other workers have counted this one. If unset, there is nothing to wait for. */
  counted?: (signal: AbortSignal) => Promise<void>;
  /** Seconds between two polls of a job about owners. Default: 5 minutes. */
  ownerPollSeconds?: number;
}

/**
 * Returns how many requests an activity may have in flight. Several activities of a worker share its number, because
 * the limiter of the API client limits all of them together.
 * @param asked a lower number that an operator set for the run; null if none was set
 */
export function mostInFlight({ client }: Pick<CrawlDeps, 'client'>, asked: number | null = null): number {
  const { max } = client.limits();
  return asked !== null && Number.isInteger(asked) && asked >= 1 ? Math.min(asked, max) : max;
}

// At most this many answers of a worker are not on disk yet, in addition to the requests in flight.
const MOST_UNWRITTEN = 32;
// A worker fetches at most this many chunks of a run at the same time (workflows/queues.ts).
const CHUNKS_AT_ONCE = 2;

/**
 * Computes how many answers of a chunk may wait to be written to its spool. So if a worker is killed, it repeats at most
 * the requests in flight and as many answered ones.
 * @param inFlight requests in flight that the worker may have
 */
export function heldBack(inFlight: number): number {
  return Math.max(1, Math.floor(Math.min(MOST_UNWRITTEN, inFlight) / CHUNKS_AT_ONCE));
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
