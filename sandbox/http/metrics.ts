import { Counter, Gauge, Registry, type OpenMetricsContentType } from 'prom-client';

/** Content type of OpenMetrics text. */
export const OPENMETRICS = Registry.OPENMETRICS_CONTENT_TYPE;

/**
 * Writes the sandbox's requests and quota as OpenMetrics text. Requests count from the start, or from the last reset
 * with `DELETE /_sandbox/requests`.
 */
export async function writeMetrics(
  { routes, statuses }: { routes: Record<string, number>; statuses: Record<number, number> },
  quota: { dailyLimit: number; usedToday: number },
): Promise<string> {
  const registry = new Registry<OpenMetricsContentType>();
  registry.setContentType(OPENMETRICS);
  const registers = [registry];
  const requests = new Counter({
    name: 'tidemark_sandbox_requests_total',
    help: 'Requests answered, by route. Does not count the control routes.',
    labelNames: ['endpoint'],
    registers,
  });
  const answers = new Counter({
    name: 'tidemark_sandbox_answers_total',
    help: 'Requests answered, by HTTP status.',
    labelNames: ['status'],
    registers,
  });
  const limit = new Gauge({
    name: 'tidemark_sandbox_quota_limit',
    help: 'Calls allowed per day; 0: no limit.',
    registers,
  });
  const used = new Gauge({ name: 'tidemark_sandbox_quota_used', help: 'Calls used today.', registers });
  for (const [endpoint, count] of Object.entries(routes)) requests.inc({ endpoint }, count);
  for (const [status, count] of Object.entries(statuses)) answers.inc({ status }, count);
  limit.set(quota.dailyLimit);
  used.set(quota.usedToday);
  return registry.metrics();
}
