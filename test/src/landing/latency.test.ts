import { expect, it } from 'vitest';
import { addLatency, mergeLatencies, percentile, type LatencyBuckets } from '../../../src/landing/latency.js';

function booked(latencies: number[]): LatencyBuckets {
  const buckets: LatencyBuckets = {};
  for (const ms of latencies) addLatency(buckets, ms);
  return buckets;
}

it.each([1, 5, 40, 250, 9_000, 120_000])('returns a latency of %i ms within 5 %%', (ms) => {
  expect(percentile(booked([ms]), 0.5)! / ms).toBeGreaterThan(0.95);
  expect(percentile(booked([ms]), 0.5)! / ms).toBeLessThan(1.05);
});

it('rounds a percentile to one decimal', () => {
  expect(percentile(booked([1.5]), 0.5)).toBe(1.5);
});

it('counts latencies below 1 ms as 1 ms', () => {
  expect(booked([0, 0.2, 1])).toEqual({ 0: 3 });
});

it('computes percentiles independent of order', () => {
  const buckets = booked([9_000, 10, 10, 10, 100]);
  expect(percentile(buckets, 0.5)).toBe(percentile(booked([10]), 0.5));
  expect(percentile(buckets, 0.6)).toBe(percentile(booked([10]), 0.5));
  expect(percentile(buckets, 0.7)).toBe(percentile(booked([100]), 0.5));
  expect(percentile(buckets, 0.99)).toBe(percentile(booked([9_000]), 0.5));
});

it('returns no percentile without requests', () => {
  expect(percentile({}, 0.5)).toBeNull();
});

it('merges the latencies of several workers', () => {
  const total = booked([10, 500]);
  mergeLatencies(total, booked([10, 10, 2_000]));
  expect(total).toEqual(booked([10, 10, 10, 500, 2_000]));
});
