import { UNKNOWN } from '../../landing/request-log.js';
import type { QuotaOveruseRecord, QuotaRecord, RequestsRecord } from '../../../schemas/pipeline/landing.js';

// Report only a difference of at least this many calls. Calls that are in flight during a quota reading cause smaller
// differences.
const WORTH_TELLING = 10;
const WORTH_TELLING_SHARE = 0.01;

const METRICS: ReadonlySet<string> = new Set(['GET /v2/metrics', 'GET /v2/metrics/contacts']);

/**
 * Compares the API's count of the daily metric with the run's request log. The reference does not say which calls the
 * API counts (docs/assumptions.md). So the expected count is a range. Its lower end is the number of answered calls to
 * data routes of version 2. Its upper end is the number of all calls except those for metrics. `overuse` is the distance
 * of the API's count from this range; 0 inside the range. Requests that a killed worker had sent belong to the upper end
 * only: perhaps the API did not count them. A count above the range means that someone else used the API key, or that a
 * machine was lost with its request log.
 * @returns null when the metric was read less than twice, or was reset between two readings
 */
export function quotaOveruse(
  readings: readonly QuotaRecord[],
  requests: readonly RequestsRecord[],
): QuotaOveruseRecord | null {
  const daily = readings.filter((reading) => reading.daily).toSorted((a, b) => (a.read_at < b.read_at ? -1 : 1));
  const [first, last] = [daily[0], daily.at(-1)];
  if (!first || !last || first === last || last.used < first.used) return null;
  const used = last.used - first.used;
  let least = 0;
  let most = 0;
  for (const { endpoint, requests: sent, errors } of requests) {
    if (METRICS.has(endpoint)) continue;
    most += sent;
    if (endpoint.includes(' /v2/') && !endpoint.includes('/watch')) least += sent - errors;
  }
  const overuse = used > most ? used - most : used < least ? used - least : 0;
  const unknown = requests.find(({ endpoint }) => endpoint === UNKNOWN)?.requests;
  return {
    metric: last.metric,
    used_before: first.used,
    used_after: last.used,
    calls: most,
    ...(unknown !== undefined && { unknown }),
    overuse,
  };
}

/**
 * Describes the quota overuse for an operator.
 * @returns a sentence; null if the difference is below 10 calls or below 1 % of the calls
 */
export function describeOveruse(record: QuotaOveruseRecord): string | null {
  const { metric, used_before, used_after, calls, unknown = 0, overuse } = record;
  if (Math.abs(overuse) < Math.max(WORTH_TELLING, WORTH_TELLING_SHARE * calls)) return null;
  const killed = unknown === 0 ? '' : `, including ${unknown} in flight when a worker was killed`;
  const counted = `The API counted ${used_after - used_before} calls (${metric}) while this run logged ${calls} requests${killed}`;
  return overuse > 0
    ? `${counted}. Another run, another user of the API key or a lost machine sent the other ${overuse}.`
    : `${counted}: the API did not count ${-overuse} requests.`;
}
