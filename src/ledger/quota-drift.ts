import type { QuotaDriftRecord, QuotaRecord, RequestsRecord } from '../../schemas/pipeline/landing.js';

// Told to an operator from so many calls on: fewer are calls that were under way when the quota was read.
const WORTH_TELLING = 10;
const WORTH_TELLING_SHARE = 0.01;

/**
 * What the API says a run used of the daily metric, against what the run's ledger booked. Which calls count is not shown
 * (docs/assumptions.md): at least the answered ones of version 2's data routes, at most all but those for the metrics
 * themselves. What lies outside is drift: above it someone else used the key. Null: read less than twice, or the metric
 * began anew in between.
 */
export function quotaDrift(
  readings: readonly QuotaRecord[],
  requests: readonly RequestsRecord[],
): QuotaDriftRecord | null {
  const daily = readings.filter((reading) => reading.daily).toSorted((a, b) => (a.read_at < b.read_at ? -1 : 1));
  const [first, last] = [daily[0], daily.at(-1)];
  if (!first || !last || first === last || last.used < first.used) return null;
  const used = last.used - first.used;
  let least = 0;
  let most = 0;
  for (const { endpoint, requests: sent, errors } of requests) {
    if (endpoint === 'GET /v2/metrics') continue;
    most += sent;
    if (endpoint.includes(' /v2/') && !endpoint.includes('/watch')) least += sent - errors;
  }
  const drift = used > most ? used - most : used < least ? used - least : 0;
  return { metric: last.metric, used_before: first.used, used_after: last.used, calls: most, drift };
}

/** The drift in words for whoever runs the night; null where it is nothing to speak of. */
export function driftInWords({ metric, used_before, used_after, calls, drift }: QuotaDriftRecord): string | null {
  if (Math.abs(drift) < Math.max(WORTH_TELLING, WORTH_TELLING_SHARE * calls)) return null;
  const counted = `The API counted ${used_after - used_before} of ${metric} while this run sent ${calls} requests`;
  return drift > 0
    ? `${counted}: ${drift} are not its own. Another run beside it, or another user of the key.`
    : `${counted}: ${-drift} were not counted.`;
}
