/**
 * Latencies in buckets that grow by a tenth: a percentile is right within 10 %, counts of many workers add up, and a
 * day of millions of requests stays a handful of numbers.
 */
export type LatencyBuckets = Record<string, number>;

const GROWTH = Math.log(1.1);

/** Books one latency, in milliseconds. */
export function addLatency(buckets: LatencyBuckets, ms: number): void {
  const bucket = String(Math.max(0, Math.round(Math.log(Math.max(ms, 1)) / GROWTH)));
  buckets[bucket] = (buckets[bucket] ?? 0) + 1;
}

export function mergeLatencies(into: LatencyBuckets, from: LatencyBuckets): void {
  for (const [bucket, count] of Object.entries(from)) into[bucket] = (into[bucket] ?? 0) + count;
}

/** The latency, in milliseconds, below which the given share of requests lies; null without requests. */
export function percentile(buckets: LatencyBuckets, share: number): number | null {
  const total = Object.values(buckets).reduce((sum, count) => sum + count, 0);
  let seen = 0;
  // JavaScript keeps keys that are whole numbers in ascending order.
  for (const [bucket, count] of Object.entries(buckets)) {
    seen += count;
    if (seen >= share * total) return Math.round(Math.exp(Number(bucket) * GROWTH) * 10) / 10;
  }
  return null;
}
