import type { ListResult } from '../../../schemas/pipeline/activities.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { ApiError, isLimit, isRefusal } from '../../api/index.js';
import { PartWriter, readManifests, readPartRows, type PartTarget } from '../../landing/index.js';
import { bookingIn, RequestLog } from '../../landing/request-log.js';
import { isDailyLimit, isGivenUp, isKeyRefused, isLimitOutlasted, rowOf, rowOfError } from '../records/answer.js';
import type { CrawlDeps, Heartbeat } from '../records/deps.js';
import { refusalOf } from '../judge/refusal.js';
import { DAY_MS, HOUR_MS, utcDay } from '../../base/time/time.js';

// In the westernmost time zone (UTC-12), a date ends 36 hours after it began in UTC.
const FINAL_AFTER_MS = 36 * HOUR_MS;
// After this many consecutive errors, assume that the route does not work, and send no more requests.
const MOST_ERRORS = 3;

type Days = Pick<RunContext, 'asOfNow' | 'date' | 'from' | 'to'>;

/**
 * Lists the days (YYYY-MM-DD) whose contact metrics a run reads. The reference does not name the API's time zone. So
 * for the API, yesterday may not be over yet.
 * - a run as of now reads its day (as far as it has passed) and the two days before it
 * - a run of past dates reads these dates
 *
 * Both skip a day that an earlier run read after the day had ended in all time zones.
 */
export function contactDays({ config }: Pick<CrawlDeps, 'config'>, days: Days): string[] {
  const first = Date.parse(days.asOfNow ? days.date : days.from) - (days.asOfNow ? 2 * DAY_MS : 0);
  const last = Date.parse(days.asOfNow ? days.date : days.to);
  const final = finalDays(config.dataDir, first);
  const all = Array.from({ length: Math.floor((last - first) / DAY_MS) + 1 }, (_, n) => utcDay(first + n * DAY_MS));
  return all.filter((day) => !final.has(day));
}

/**
 * Returns the days whose figures are final: a run read them after the day had ended in all time zones. Opens only parts
 * that may contain days from `first` on.
 */
function finalDays(dataDir: string, first: number): Set<string> {
  const since = new Date(first + FINAL_AFTER_MS).toISOString();
  const parts = readManifests(dataDir, { stream: 'contact_metrics' });
  const rows = parts.filter(({ lastFetchedAt }) => (lastFetchedAt ?? '') >= since).flatMap(readPartRows);
  return new Set(
    rows.flatMap(({ entity_id: day, status, fetched_at }) =>
      day !== null && status >= 200 && status < 300 && Date.parse(fetched_at) >= Date.parse(day) + FINAL_AFTER_MS
        ? [day]
        : [],
    ),
  );
}

/**
 * Reads the contact metrics of a run's days (reference v2, "Metrics") and lands each answer. A retried activity does
 * not read a landed day again. If the API does not answer, the run continues without the metrics.
 * @returns counts; `shortfall` names the days that were not read; `refused` is set when the API refuses the route
 */
export async function readContactMetrics(
  deps: CrawlDeps,
  ctx: RunContext,
  target: PartTarget,
  heartbeat: Heartbeat,
): Promise<ListResult> {
  const days = contactDays(deps, ctx);
  const writer = await PartWriter.open(target);
  const booking = new RequestLog(deps.config.dataDir, ctx.run, target.chunk);
  try {
    const stopped = await bookingIn(booking, async () => readDays(deps, days, writer, heartbeat));
    heartbeat.signal.throwIfAborted();
    const part = await writer.commit();
    const rows = part?.rows ?? 0;
    return { rows, requests: booking.requests, entities: rows, limited: false, shortfall: null, ...stopped };
  } catch (error) {
    await writer.close();
    throw error;
  }
}

type Stopped = Pick<ListResult, 'shortfall' | 'refused'>;

/**
 * Reads the days that are not landed yet. Returns why it stopped early; null if it requested all days. A day that the
 * API answered with an error is landed as this error.
 */
async function readDays(
  { client }: Pick<CrawlDeps, 'client'>,
  days: readonly string[],
  writer: PartWriter,
  heartbeat: Heartbeat,
): Promise<Stopped | null> {
  const landed = new Set(writer.rows.map((row) => row.entity_id));
  let errors = 0;
  for (const [n, day] of days.entries()) {
    heartbeat.report({ step: 'contact metrics', done: n, total: days.length, requests: n });
    if (landed.has(day)) continue;
    const query = { date_from: `${day} 00:00:00`, date_to: `${day} 23:59:59` };
    try {
      await writer.append(rowOf(await client.v2.contactMetrics(query, { signal: heartbeat.signal }), day, 'day'));
      errors = 0;
    } catch (error) {
      if (!(error instanceof ApiError) || isKeyRefused(error)) throw error;
      const stopped = { shortfall: notRead(days.slice(n), error) };
      if (isRefusal(error)) return { ...stopped, refused: [refusalOf('contact_metrics', error)] };
      // Don't wait for quota: that may take a day, and a later run can still read these metrics.
      if (isDailyLimit(error)) return stopped;
      if (isLimit(error) ? isLimitOutlasted(heartbeat) : isGivenUp(error, heartbeat)) return stopped;
      if (error.retryable) throw error;
      await writer.append(rowOfError(error, day, 'day'));
      if (++errors >= MOST_ERRORS) return stopped;
    }
  }
  return null;
}

function notRead(days: readonly string[], { message }: ApiError): string {
  const which = days.length === 1 ? days[0] : `${days[0]} to ${days.at(-1)}`;
  return `The contact metrics of ${which} could not be read: ${message}. A snapshot reads the last days again; for older days, run \`tidemark backfill --streams contact_metrics --from ${days[0]} --to ${days.at(-1)}\`.`;
}
