import { randomUUID } from 'node:crypto';
import type { QuotaStatus } from '../../schemas/pipeline/activities.js';
import type { QuotaRecord } from '../../schemas/pipeline/landing.js';
import type { RunContext } from '../../schemas/pipeline/run.js';
import type { MetricsReading } from '../../schemas/v2/metrics.js';
import { bookingIn, RequestLog } from '../landing/request-log.js';
import { MOST_METRICS, quotaRead } from '../base/observed.js';
import { CLOCK_TOLERANCE, checkClock, readClock, type ClockReading, type ClockRule } from './records/clock-off.js';
import { landRecords } from './records/land-records.js';
import type { CrawlDeps, Heartbeat } from './records/deps.js';
import { kindOf, NoRoomError } from './judge/kinds.js';

// The API chooses the names of its metrics. They become rows and labels, so their length has a limit.
const NAME_LENGTH = 100;

// If the API does not answer /v2/metrics, this attempt of the activity is the first one to go on without an answer.
const GOES_ON_AT = 6;

/**
 * Reads /v2/metrics and lands the reading.
 * @param rule what a wrong clock does. Most calls only describe the difference, because they must not stop a run that is
 * almost done
 * @returns `known` is false if the API reports no daily metric or a total of 0, or if the reading failed. `open` is
 * false only if the daily quota is known and used up.
 * @throws as `checkClock`
 */
export async function readQuota(
  deps: CrawlDeps,
  ctx: RunContext,
  heartbeat: Heartbeat,
  rule: ClockRule = 'describes',
): Promise<QuotaStatus> {
  const stamp = deps.clock
    .now()
    .toISOString()
    .replaceAll(/[^0-9]/g, '');
  const booking = new RequestLog(deps.data, ctx.run, 'quota');
  const { metrics, read_at, reading, fault } = await bookingIn(booking, () => askMetrics(deps, heartbeat));
  const records = metrics.map((metric): QuotaRecord => ({ ...metric, read_at }));
  // The random suffix keeps names unique, because two chunks of a run may read the quota in the same millisecond.
  const chunk = `read-${stamp}-${randomUUID().slice(0, 8)}`;
  if (records.length > 0) await landRecords(deps, ctx, 'quota', chunk, records);
  const clock = checkClock(reading, rule);
  if (rule !== 'describes') deps.stamps?.agree();
  const { metric = null, used = 0, total = 0 } = dailyOf(metrics) ?? {};
  const known = total > 0;
  return { known, metric, used, total, open: !known || used < total, clock, fault };
}

/** What /v2/metrics says. */
interface QuotaReading {
  metrics: Metric[];
  read_at: string;
  reading: ClockReading;
  /** A sentence for the run's notes, if many attempts failed to read the metrics. */
  fault: string | null;
}

/**
 * Sends GET /v2/metrics. If it shows that quota is left, allows this worker's client to send again. Returns no metrics if
 * the API refuses the request or finds nothing; if it does not answer, only in a late attempt.
 */
async function askMetrics({ client, clock, config }: CrawlDeps, heartbeat: Heartbeat): Promise<QuotaReading> {
  const { attempt, signal } = heartbeat;
  try {
    const { data, times, fetchedAt: read_at } = await client.v2.metrics({ signal });
    const metrics = readMetrics(data, config.quota.metric);
    for (const { metric, used, total } of metrics) quotaRead.report({ metric, used, total, readAt: read_at });
    if (hasRoom(metrics)) client.quota.open();
    return { metrics, read_at, reading: readClock(times), fault: null };
  } catch (error) {
    const kind = kindOf(error);
    const isSilent = kind === 'fault' || kind === 'limit';
    if (signal.aborted || kind === 'key' || kind === 'fatal' || (isSilent && attempt < GOES_ON_AT)) throw error;
    const words = `The daily quota could not be read (${(error as Error).name} of /v2/metrics); the run continued without it.`;
    const fault = isSilent ? words : null;
    const reading = { servedAt: null, now: new Date() };
    return { metrics: [], read_at: clock.now().toISOString(), reading, fault };
  }
}

/**
 * Reads the quota before the work of an activity, but only after a daily limit, or if someone changed this machine's
 * clock after it last agreed with the API's. Then allows this worker's client to send again if quota is left. Also allows
 * this if the quota is unknown, because the quota gate has already decided that the run continues.
 * @throws NoRoomError when /v2/metrics shows that no quota is left
 * @throws TidemarkError `ClockWrong` when this machine's clock is wrong; retryable, so that the run waits until it is
 * right
 */
export async function reopenQuota(deps: CrawlDeps, ctx: RunContext, heartbeat: Heartbeat): Promise<void> {
  const wasSet = deps.stamps?.wasSet((CLOCK_TOLERANCE / 2) * 1_000) ?? false;
  if (!wasSet && !deps.client.quota.isClosed) return;
  const { open } = await readQuota(deps, ctx, heartbeat, wasSet ? 'waits' : 'describes');
  if (!open) throw new NoRoomError();
  deps.client.quota.open();
}

/**
 * Whether /v2/metrics shows that quota is left. If so, allows this worker's client to send again.
 * @returns false also when the API reports no daily quota, or when the request fails
 */
export async function saysRoom(deps: CrawlDeps, heartbeat: Heartbeat): Promise<boolean> {
  const answer = await askMetrics(deps, heartbeat).catch(() => null);
  return answer !== null && hasRoom(answer.metrics);
}

/** Whether the metrics show that quota is left. */
function hasRoom(metrics: readonly Metric[]): boolean {
  const daily = dailyOf(metrics);
  return daily !== undefined && daily.used < daily.total;
}

type Metric = Omit<QuotaRecord, 'read_at'>;

function dailyOf(metrics: readonly Metric[]): Metric | undefined {
  return metrics.find(({ daily }) => daily);
}

/** Finds the metric of the daily quota, as `readMetrics` does. Returns null when no metric matches. */
export function dailyMetric(groups: MetricsReading, wanted: string): Omit<Metric, 'daily'> | null {
  const found = dailyOf(readMetrics(groups, wanted));
  return found === undefined ? null : { metric: found.metric, used: found.used, total: found.total };
}

/**
 * Reads the metrics, at most `MOST_METRICS`. Leaves out those whose figures cannot be counts.
 * @param wanted codename of the metric of the daily quota. With `auto`, this is the first metric whose group or codename
 * contains "daily"
 */
function readMetrics(groups: MetricsReading, wanted: string): Metric[] {
  const metrics = groups.flatMap((group) =>
    group.metrics.map(({ codename, name, used, total }) => {
      const metric = (codename ?? name ?? 'unnamed').slice(0, NAME_LENGTH);
      const isDaily = /daily/i.test(`${group.codename ?? ''} ${group.name ?? ''} ${metric}`);
      return { metric, used, total, daily: wanted === 'auto' ? isDaily : metric === wanted };
    }),
  );
  const counts = metrics.filter(({ used, total }) => isCount(used) && isCount(total)).slice(0, MOST_METRICS);
  const first = counts.findIndex(({ daily }) => daily);
  return counts.map((metric, index) => ({ ...metric, daily: index === first }));
}

/** The warehouse adds such figures up in 64 bits. */
function isCount(figure: number): boolean {
  return figure >= 0 && figure <= Number.MAX_SAFE_INTEGER;
}
