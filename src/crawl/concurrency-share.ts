import type { Config } from '../core/config.js';

/**
 * How many workers serve the crawl task queue, and how many runs are in progress. All of them share the requests in
 * flight of one API key.
 */
export interface AtWork {
  workers: number;
  runs: number;
}

/**
 * Computes how many requests an activity may have in flight. With one worker, each activity gets the full number,
 * because the worker's client limits all requests together. With several workers, the activities divide the number,
 * because each worker sees only its own requests.
 * @param asked a lower number that an operator set for the run; null if none was set
 * @param atOnce activities that the run executes at the same time
 */
export function concurrencyShare(
  { config, atWork }: { config: Config; atWork?: Readonly<AtWork> },
  asked: number | null,
  atOnce = 1,
): number {
  const { maxConcurrency } = config.api;
  const shares = atWork && atWork.workers > 1 ? atWork.runs * atOnce : 1;
  const most = Math.max(1, Math.floor(maxConcurrency / shares));
  return asked !== null && Number.isInteger(asked) && asked >= 1 ? Math.min(asked, most) : most;
}

// At most this many answers of a worker are not on disk yet, in addition to the requests in flight.
const MOST_UNWRITTEN = 32;

/**
 * Computes how many answers of a chunk may wait to be written to its spool. While they wait, as many may be being
 * written. So if a worker is killed, it repeats at most the requests in flight and as many answered ones.
 * @param atOnce chunks that the run fetches at the same time
 */
export function heldBack(maxConcurrency: number, atOnce = 1): number {
  return Math.max(1, Math.floor(Math.min(MOST_UNWRITTEN, maxConcurrency) / (2 * atOnce)));
}
