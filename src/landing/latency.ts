/**
 * Latency histogram: the number of requests in each bucket, by the number of the bucket. Each bucket is 10 % wider than
 * the one before, so percentiles are exact within 10 %. Histograms of several workers can be added. A few numbers
 * describe millions of requests.
 */
export type LatencyBuckets = Record<string, number>;

const GROWTH = Math.log(1.1);

/** Adds one latency in milliseconds. */
export function addLatency(buckets: LatencyBuckets, ms: number): void {
  const bucket = String(Math.max(0, Math.round(Math.log(Math.max(ms, 1)) / GROWTH)));
  buckets[bucket] = (buckets[bucket] ?? 0) + 1;
}

/** Adds the counts of `from` to `into`. */
export function mergeLatencies(into: LatencyBuckets, from: LatencyBuckets): void {
  for (const [bucket, count] of Object.entries(from)) into[bucket] = (into[bucket] ?? 0) + count;
}

/**
 * Computes a percentile of the latencies.
 * @param share share of the requests, 0 to 1
 * @returns the time in milliseconds within which the API answered this share of the requests; null without requests
 */
export function percentile(buckets: LatencyBuckets, share: number): number | null {
  const total = Object.values(buckets).reduce((sum, count) => sum + count, 0);
  let seen = 0;
  // From the shortest time to the longest: JavaScript lists whole-number keys in ascending order.
  for (const [bucket, count] of Object.entries(buckets)) {
    seen += count;
    if (seen >= share * total) return Math.round(Math.exp(Number(bucket) * GROWTH) * 10) / 10;
  }
  return null;
}
