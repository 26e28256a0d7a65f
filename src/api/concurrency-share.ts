/** How many crawl workers share the API key, and how many requests this worker may have in flight. */
export interface AtWork {
  workers: number;
  inFlight: number;
}

/**
 * Computes how many requests a worker may have in flight. The shares of all workers add up to at most `maxConcurrency`,
 * unless there are more workers than requests: a worker always has at least one.
 *
 * A worker may still count others that have ended. Its share is then too small, never too large.
 * @param maxConcurrency requests that all workers together may have in flight
 * @param workers number of workers that share the API key
 * @param rank place of this worker in a common order of all workers, from 0
 */
export function workerShare(maxConcurrency: number, { workers, rank }: { workers: number; rank: number }): number {
  return Math.max(1, Math.ceil((maxConcurrency - rank) / workers));
}

/**
 * Returns how many requests an activity may have in flight. Several activities of a worker share its number, because
 * the API client of the worker limits all of them together.
 * @param most requests that the worker may have in flight
 * @param asked a lower number that an operator set for the run; null if none was set
 */
export function concurrencyShare(most: number, asked: number | null): number {
  return asked !== null && Number.isInteger(asked) && asked >= 1 ? Math.min(asked, most) : most;
}

// At most this many answers of a worker are not on disk yet, in addition to the requests in flight.
const MOST_UNWRITTEN = 32;

/**
 * Computes how many answers of a chunk may wait to be written to its spool. While they wait, as many may be being
 * written. So if a worker is killed, it repeats at most the requests in flight and as many answered ones.
 * @param inFlight requests in flight that the worker may have
 * @param atOnce chunks that the worker fetches at the same time
 */
export function heldBack(inFlight: number, atOnce = 1): number {
  return Math.max(1, Math.floor(Math.min(MOST_UNWRITTEN, inFlight) / (2 * atOnce)));
}
