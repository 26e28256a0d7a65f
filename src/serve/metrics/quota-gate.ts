import type { Collector } from './collectors.js';
import { newGauge, type MetricsRegistry } from './registry.js';

/** Adds the length of the quota gate's queue. */
export function addQuotaGateMetrics(registry: MetricsRegistry, countWaiting: () => Promise<number>): Collector {
  const waiting = newGauge(
    registry,
    'tidemark_quota_gate_waiting_runs',
    'Runs that wait until the daily quota of the API key allows requests again.',
  );
  return { name: 'quota_gate', collect: async () => waiting.set(await countWaiting()) };
}
