import type { ListResult } from '../../../schemas/pipeline/activities.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { ApiError } from '../../api/index.js';
import { PartWriter, readManifests, readPartRows, type PartTarget } from '../../landing/index.js';
import { rowOf, rowOfError } from '../records/answer.js';
import type { CrawlDeps, Heartbeat } from '../records/deps.js';
import { askOne, sinceScheduled } from '../attempt/ask-each.js';
import { runAttempt } from '../attempt/run-attempt.js';
import { kindOf } from '../judge/kinds.js';
import { refusalOf } from '../judge/refusal.js';
import { DAY_MS, HOUR_MS, utcDay } from '../../base/time/time.js';

// In the westernmost time zone (UTC-12), a date ends 36 hours after it began in UTC.
const FINAL_AFTER_MS = 36 * HOUR_MS;

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
  const ended = await runAttempt({ deps, ctx, heartbeat }, target.chunk, writer, () =>
    readDays(deps, days, writer, heartbeat),
  );
  const rows = (await writer.commit())?.rows ?? 0;
  const read = { rows, requests: ended.requests, entities: rows, limited: false, shortfall: null };
  // Don't wait for quota: that may take a day, and a later run can still read these metrics.
  const error = ended.how === 'limited' ? ended.error : ended.how === 'closed' ? ended.refusal : ended.result;
  if (error === null) return read;
  const landed = new Set(writer.rows.map((row) => row.entity_id));
  const missing = days.filter((day) => !landed.has(day));
  const refused = error instanceof ApiError && kindOf(error) === 'refused';
  return {
    ...read,
    shortfall: notRead(missing, error),
    ...(refused ? { refused: [refusalOf('contact_metrics', error)] } : {}),
  };
}

/**
 * Reads the days that are not landed yet. Lands an error for a day that the API will not answer. Returns the error after
 * which reading further days is no use; null if it requested all days.
 */
async function readDays(
  deps: CrawlDeps,
  days: readonly string[],
  writer: PartWriter,
  heartbeat: Heartbeat,
): Promise<ApiError | null> {
  const landed = new Set(writer.rows.map((row) => row.entity_id));
  for (const [n, day] of days.entries()) {
    heartbeat.report({ step: 'contact metrics', done: n, total: days.length, requests: n });
    if (landed.has(day)) continue;
    const query = { date_from: `${day} 00:00:00`, date_to: `${day} 23:59:59` };
    const answer = await askOne(deps, heartbeat, {
      of: 'page',
      send: () => deps.client.v2.contactMetrics(query, { signal: heartbeat.signal }),
      silentMs: () => sinceScheduled(heartbeat),
    });
    if ('result' in answer) await writer.append(rowOf(answer.result, day, 'day'));
    else if (answer.error.retryable || kindOf(answer.error) === 'refused') return answer.error;
    else await writer.append(rowOfError(answer.error, day, 'day'));
  }
  return null;
}

function notRead(days: readonly string[], { message }: Error): string {
  const which = days.length === 1 ? days[0] : `${days[0]} to ${days.at(-1)}`;
  return `The contact metrics of ${which} could not be read: ${message}. A snapshot reads the last days again; for older days, run \`tidemark backfill --streams contact_metrics --from ${days[0]} --to ${days.at(-1)}\`.`;
}
