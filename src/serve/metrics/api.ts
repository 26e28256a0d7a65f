import { Counter, Histogram } from 'prom-client';
import type { AttemptReport } from '../../api/index.js';
import type { Collector } from './collectors.js';
import { newGauge, type MetricsRegistry } from './registry.js';

/** The API client's current number of requests in flight. */
type InFlight = () => { active: number; window: number };

/**
 * Adds the metrics of API requests. Label `endpoint` is a route template, so it has as many values as the API has
 * routes.
 * @returns `onAttempt`: hook for the API client. `watch`: collector for the requests in flight
 */
export function addApiMetrics(registry: MetricsRegistry): {
  onAttempt: (attempt: AttemptReport) => void;
  watch: (inFlight: InFlight) => Collector;
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
  const window = newGauge(
    registry,
    'tidemark_api_requests_in_flight_limit',
    'Maximum number of requests in flight that this worker allows now. It adapts to the rate limit of the API.',
  );
  return {
    onAttempt({ endpoint, status, ms, bytes: received, retry, error }) {
      requests.inc({ endpoint, status_class: statusClass(status) });
      if (error !== null) errors.inc({ endpoint, error });
      if (retry) retries.inc({ endpoint });
      bytes.inc({ endpoint }, received);
      duration.observe({ endpoint }, ms / 1_000);
    },
    watch: (inFlight) => ({
      name: 'api_client',
      async collect() {
        const now = inFlight();
        active.set(now.active);
        window.set(now.window);
      },
    }),
  };
}

function statusClass(status: number): string {
  return status >= 100 && status <= 599 ? `${Math.floor(status / 100)}xx` : 'none';
}
