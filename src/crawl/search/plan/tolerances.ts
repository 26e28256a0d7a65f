/** Largest share of the market's companies that may be added or removed while the market is read. This is an assumption. */
export const DRIFT = 0.001;
const DRIFT_FLOOR = 5;

/** Returns by how many companies two counts of a market may differ, because companies were added or removed meanwhile. */
export function driftOf(total: number): number {
  return Math.max(DRIFT_FLOOR, DRIFT * total);
}

/**
 * The totals of parts may exceed the total of the whole by this share, because companies may be added between two
 * requests.
 */
export const SURPLUS = 0.01;

/** Estimated number of requests of a sweep per full page. */
export const SWEEP_COST = 1.1;
