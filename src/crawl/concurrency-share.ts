import type { Config } from '../core/config.js';

/** The workers on the crawl task queue and the runs in progress. All of them share the concurrency of the API key. */
export interface AtWork {
  workers: number;
  runs: number;
}

/**
 * Computes an activity's concurrency share. A single worker gets the full concurrency, because its client limits all
 * requests. Several workers divide the concurrency, because each worker sees only its own requests.
 * @param asked concurrency that an operator set for the run; null: the full share
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
