import { Counter, Histogram } from 'prom-client';
import type { AttemptReport, Limits } from '../../api/index.js';
import type { Collector } from './collectors.js';
import { newGauge, type MetricsRegistry } from './registry.js';

/**
 * Adds the metrics of API requests. Label `endpoint` is a route template, so it has as many values as the API has
 * routes.
 * @returns `onAttempt`: hook for the API client. `watch`: collector for what limits the requests
 */
export function addApiMetrics(registry: MetricsRegistry): {
  onAttempt: (attempt: AttemptReport) => void;
  watch: (limits: () => Limits) => Collector;
} {
  const registers = [registry];
  const requests = new Counter({
    name: 'tidemark_api_requests_total',
    help: 'Requests sent to the API, retries included, by route and class of the HTTP status (none: no answer).',
    labelNames: ['endpoint', 'status_class'],
    registers,
  });
  const errors = new Counter({
    name: 'tidemark_api_errors_total',
    help: 'Requests that failed, by route and kind of error. An error may come with any HTTP status.',
    labelNames: ['endpoint', 'error'],
    registers,
  });
  const retries = new Counter({
    name: 'tidemark_api_retries_total',
    help: 'Requests that repeat a failed request, by route.',
    labelNames: ['endpoint'],
    registers,
  });
  const bytes = new Counter({
    name: 'tidemark_api_received_bytes_total',
    help: 'Bytes of the received bodies, by route.',
    labelNames: ['endpoint'],
    registers,
  });
  const duration = new Histogram({
    name: 'tidemark_api_request_duration_seconds',
    help: 'Time from sending a request to the end of its answer, by route.',
    labelNames: ['endpoint'],
    buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const active = newGauge(registry, 'tidemark_api_requests_in_flight', 'Requests in flight of this worker.');
  const allowed = newGauge(
    registry,
    'tidemark_api_requests_in_flight_limit',
    'Maximum number of requests in flight that this worker allows now. It adapts to the rate limit of the API.',
  );
  const waiting = newGauge(registry, 'tidemark_api_requests_waiting', 'Requests that wait until they may start.');
  const pace = newGauge(
    registry,
    'tidemark_api_requests_per_second_limit',
    'Requests that this worker may start per second now; +Inf without a limit. It adapts to the rate limit of the API.',
  );
  const held = newGauge(
    registry,
    'tidemark_api_held_seconds',
    'Seconds until this worker sends a request again, because the API asked for the wait (Retry-After).',
  );
  const stopped = newGauge(
    registry,
    'tidemark_api_daily_limit_reached',
    '1 while this worker sends no requests because of the daily limit, otherwise 0.',
  );
  return {
    onAttempt({ endpoint, status, ms, bytes: received, retry, error }) {
      requests.inc({ endpoint, status_class: statusClass(status) });
      if (error !== null) errors.inc({ endpoint, error });
      if (retry) retries.inc({ endpoint });
      bytes.inc({ endpoint }, received);
      duration.observe({ endpoint }, ms / 1_000);
    },
    watch: (limits) => ({
      name: 'api_client',
      async collect() {
        const now = limits();
        active.set(now.active);
        allowed.set(now.allowed);
        waiting.set(now.waiting);
        pace.set(now.perSecond ?? Infinity);
        held.set(now.heldMs / 1_000);
        stopped.set(now.isDailyLimit ? 1 : 0);
      },
    }),
  };
}

function statusClass(status: number): string {
  return status >= 100 && status <= 599 ? `${Math.floor(status / 100)}xx` : 'none';
}
