import type { QuotaStatus } from '../../schemas/pipeline/crawl.js';
import type { QuotaRecord } from '../../schemas/pipeline/landing.js';
import type { RunContext } from '../../schemas/pipeline/run.js';
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
  const readings = response.data.flatMap((group) =>
    (group.metrics ?? []).map((metric) => ({ ...metric, group: `${group.codename ?? ''} ${group.name ?? ''}` })),
  );
  const records: QuotaRecord[] = readings.map((metric) => ({
    metric: String(metric.codename),
    used: metric.used ?? 0,
    total: metric.total ?? 0,
    read_at: response.fetchedAt,
  }));
  if (records.length > 0) await landRecords(deps, ctx, 'quota', `read-${stamp}`, records);

  const wanted = deps.config.quota.metric;
  const daily = readings
    .map((metric, index) => ({ record: records[index], text: `${metric.group} ${metric.codename}` }))
    .find(({ record, text }) => (wanted === 'auto' ? /daily/i.test(text) : record?.metric === wanted))?.record;
  if (!daily || daily.total === 0)
    return { known: false, metric: daily?.metric ?? null, used: daily?.used ?? 0, total: 0, open: true };
  return { known: true, metric: daily.metric, used: daily.used, total: daily.total, open: daily.used < daily.total };
}
