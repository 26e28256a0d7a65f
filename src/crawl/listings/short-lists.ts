import type { ShortListing } from '../../../schemas/pipeline/activities.js';
import type { LandedRow } from '../../../schemas/pipeline/landing.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { ApiClient, ApiResponse, CallOptions } from '../../api/index.js';
import { DAY_MS, daysBefore, HOUR_MS, utcDay } from '../../base/time/time.js';
import { readManifests, readPartRows } from '../../landing/index.js';
import { isRecord } from '../records/answer.js';
import type { CrawlDeps } from '../records/deps.js';
import { oneRow, type Fetcher } from '../records/fetcher.js';

/** A list with few items. One request reads an item. */
export interface ShortList {
  fetcher: Fetcher;
  /** Names the items to read: those that no other run has read lately. */
  due(
    deps: Pick<CrawlDeps, 'config' | 'clock'>,
    ctx: Pick<RunContext, 'run' | 'asOfNow' | 'date' | 'from' | 'to'>,
  ): string[];
  /** Whether the run waits for quota if the daily limit stops the reading. If not, it goes on without the rest. */
  waits: boolean;
  /** Says what reads the missing items. */
  todo: string;
}

/** The requests that read the nomenclatures. */
export const NOMENCLATURE_ENDPOINTS = [
  'GET /v1/finder/nomenclatures',
  'GET /v1/finder/tenders/nomenclatures',
  'GET /v1/finder/tenders/donors',
];
const LOOKUP_LISTS: Record<string, (api: ApiClient['v1'], call: CallOptions) => Promise<ApiResponse<unknown>>> = {
  v1: async (api, call) => api.nomenclatures(call),
  tenders: async (api, call) => api.tenderNomenclatures(call),
  donors: async (api, call) => api.tenderDonors(call),
};
const LOOKUP_LIST_DAYS = 7;

// In the westernmost time zone (UTC-12), a date ends 36 hours after it began in UTC.
const FINAL_AFTER_MS = 36 * HOUR_MS;

export const SHORT_LISTS: Record<ShortListing, ShortList> = {
  /** Lookup lists that no run has read in the last 7 days. */
  nomenclatures: {
    due({ config, clock }, { run }) {
      const recent = readSince(config.dataDir, 'nomenclatures', daysBefore(clock.now(), LOOKUP_LIST_DAYS), run);
      const known = new Set(recent.map(({ entity_id }) => entity_id));
      return Object.keys(LOOKUP_LISTS).filter((name) => config.nomenclatures && !known.has(name));
    },
    fetcher: {
      ...oneRow(async (client, name, signal) => LOOKUP_LISTS[name]!(client.v1, { signal })),
      manyRoutes: true,
    },
    waits: true,
    todo: 'The next run tries again.',
  },

  /**
   * Days (YYYY-MM-DD) of contact metrics (reference v2, "Metrics"). The reference does not name the API's time zone. So
   * for the API, yesterday may not be over yet.
   * - a run as of now reads its day (as far as it has passed) and the two days before it
   * - a run of past dates reads these dates
   *
   * Both skip a day that an earlier run read after the day had ended in all time zones.
   */
  contact_metrics: {
    due({ config }, { run, asOfNow, date, from, to }) {
      const first = Date.parse(asOfNow ? date : from) - (asOfNow ? 2 * DAY_MS : 0);
      const last = Date.parse(asOfNow ? date : to);
      const recent = readSince(config.dataDir, 'contact_metrics', new Date(first + FINAL_AFTER_MS), run);
      const isFinal = ({ entity_id: day, fetched_at }: LandedRow): boolean =>
        Date.parse(fetched_at) >= Date.parse(day ?? '') + FINAL_AFTER_MS;
      const final = new Set(recent.filter(isFinal).map(({ entity_id }) => entity_id));
      const all = Array.from({ length: Math.floor((last - first) / DAY_MS) + 1 }, (_, n) => utcDay(first + n * DAY_MS));
      return all.filter((day) => !final.has(day));
    },
    fetcher: oneRow(async (client, day, signal) =>
      client.v2.contactMetrics({ date_from: `${day} 00:00:00`, date_to: `${day} 23:59:59` }, { signal }),
    ),
    // The wait may take a day, and a later run can still read these metrics.
    waits: false,
    todo: 'A snapshot reads the last days again. For older days, run `tidemark backfill --streams contact_metrics`.',
  },
};

/**
 * Reads the answers of a list that other runs landed. Opens only parts that may hold answers since a time.
 * @param run skips the parts of this run
 */
function readSince(dataDir: string, stream: ShortListing, since: Date, run: string): LandedRow[] {
  const from = since.toISOString();
  const parts = readManifests(dataDir, { stream }).filter(
    (part) => part.run !== run && (part.lastFetchedAt ?? '') >= from,
  );
  return parts.flatMap(readPartRows).filter((row) => isRecord(row) && row.fetched_at >= from);
}
