import type { QuotaStatus } from '../../schemas/pipeline/crawl.js';
import type { QuotaRecord } from '../../schemas/pipeline/landing.js';
import type { RunContext } from '../../schemas/pipeline/run.js';
import type { MetricsReading } from '../../schemas/v2/metrics.js';
import { bookingIn, RequestLog } from '../ledger/request-log.js';
import { landRecords } from './close-run.js';
import type { CrawlDeps, Pulse } from './deps.js';

/**
 * Asks /v2/metrics and lands the reading. `open` is false only when the daily metric has a total and it is used up:
 * a total of 0 is no figure (CONTRACT, "What the reference leaves open").
 */
export async function readQuota(deps: CrawlDeps, ctx: RunContext, pulse: Pulse): Promise<QuotaStatus> {
  const stamp = deps.clock
    .now()
    .toISOString()
    .replaceAll(/[^0-9]/g, '');
  const booking = new RequestLog(deps.config.dataDir, ctx.run, 'quota');
  const response = await bookingIn(booking, () => deps.client.v2.metrics({ signal: pulse.signal }));
  const readings = readMetrics(response.data);
  const records = readings.map(({ metric, used, total }): QuotaRecord => ({
    metric,
    used,
    total,
    read_at: response.fetchedAt,
  }));
  if (records.length > 0) await landRecords(deps, ctx, 'quota', `read-${stamp}`, records);
  const daily = dailyMetric(response.data, deps.config.quota.metric);
  if (!daily || daily.total === 0)
    return { known: false, metric: daily?.metric ?? null, used: daily?.used ?? 0, total: 0, open: true };
  return { known: true, ...daily, open: daily.used < daily.total };
}

interface Metric {
  metric: string;
  used: number;
  total: number;
}

/**
 * The metric that bounds a day's work: the one of that codename, or for `auto` the first whose group or codename says
 * "daily"; null where there is none.
 */
export function dailyMetric(groups: MetricsReading, wanted: string): Metric | null {
  const found = readMetrics(groups).find(({ metric, text }) =>
    wanted === 'auto' ? /daily/i.test(text) : metric === wanted,
  );
  return found ? { metric: found.metric, used: found.used, total: found.total } : null;
}

function readMetrics(groups: MetricsReading): (Metric & { text: string })[] {
  return groups.flatMap((group) =>
    (group.metrics ?? []).map((metric) => ({
      metric: String(metric.codename),
      used: metric.used ?? 0,
      total: metric.total ?? 0,
      text: `${group.codename ?? ''} ${group.name ?? ''} ${metric.codename}`,
    })),
  );
}
