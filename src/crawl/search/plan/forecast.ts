import type { DuePlan } from '../../../../schemas/pipeline/due.js';
import { formatCount } from '../../../../schemas/format.js';
import { SWEEP_COST } from './tolerances.js';

/** What is known about the search of a market after calibration, and what the plan will do next. */
export interface SearchOutlook {
  /** Number of companies that the API reports. */
  total: number;
  /** Number of rows on a page. */
  size: number;
  /** Number of requests that were sent so far. The forecast includes them. */
  asked: number;
  /**
   * - pages: the plan knows how many pages it will request, because the market is below the page cap or version 1 lists
   *   it.
   * - sweep: the market must be split, and nobody knows into how many parts. `share` of the companies have a value in
   *   the first dimension.
   */
  next: { kind: 'pages'; pages: number } | { kind: 'sweep'; share: number };
  /** Number of requests and total of the last search of the same market; null before the first search. */
  before: { requests: number; total: number } | null;
}

/** What the warehouse knows about a stream's companies before tonight's search. */
export interface RecordOutlook {
  stream: string;
  endpoint: string;
  /** Number of members on the market's current night. */
  known: number;
  /**
   * Number of known companies that were never fetched (`unfetched`), or that were fetched longer ago than `refresh`
   * allows (`stale`).
   */
  unfetched: number;
  stale: number;
  /**
   * Number of companies that were due in the last run for another reason: an event, a new name, a new state, a return
   * to the market or a failure.
   */
  changed: number;
  /** Number of requests for one record. Default 1. */
  requestsPer?: number | undefined;
}

/** How many requests a run is expected to send for one stream. */
export interface StreamForecast {
  stream: string;
  requests: number;
  /** Endpoints of these requests. Later, the forecast is compared with the requests that the run sent to them. */
  endpoints: string[];
  /** A text for people that says how the number was calculated. */
  basis: string;
}

/** How fast the worker sends requests. */
export interface Pace {
  /** Duration of a request by endpoint, in milliseconds. For other endpoints, `typical` applies. */
  latency: Record<string, number>;
  typical: number;
  concurrency: number;
  requestsPerSecond: number | null;
}

export interface Quota {
  used: number;
  total: number;
}

// As SWEEP_COST, for a market with fewer than SMALL_SWEEP_PAGES pages.
const SMALL_SWEEP_COST = 1.2;
const SMALL_SWEEP_PAGES = 1_000;
// A second pass for companies without a value costs at most this many requests per company. It also never costs more
// requests than the market has pages.
const SECOND_PASS_PER_COMPANY = 5;

/** Forecasts the requests of a market's search, including calibration and the last request for the market's total. */
export function forecastSearch(search: SearchOutlook): StreamForecast {
  const { total, size, asked, next, before } = search;
  const pages = Math.ceil(total / Math.max(1, size));
  const forecast = (requests: number, basis: string): StreamForecast => ({
    stream: 'search',
    requests: Math.ceil(requests),
    endpoints: ['POST /v2/prospecting', 'POST /v1/finder/companies'],
    basis: `${formatCount(total)} companies, ${formatCount(size)} a page: ${basis}`,
  });
  if (next.kind === 'pages')
    return forecast(
      asked + next.pages + 1,
      `${formatCount(next.pages)} ${next.pages === 1 ? 'page' : 'pages'} to read`,
    );
  if (before && before.total > 0) {
    return forecast(
      (before.requests * total) / before.total,
      `like the last search, which took ${formatCount(before.requests)} requests`,
    );
  }
  const cost = pages < SMALL_SWEEP_PAGES ? SMALL_SWEEP_COST : SWEEP_COST;
  const lost = total * (1 - next.share);
  const second = Math.min(pages, SECOND_PASS_PER_COMPANY * lost);
  const without =
    lost > 0
      ? `, and a second pass for the ${percent(1 - next.share)} of the companies that lack a value to split by`
      : '';
  return forecast(asked + pages * next.share * cost + second + 1, `split until its parts can be read${without}`);
}

/** Forecasts the requests for the records of a stream, for a market with `total` companies. */
export function forecastRecords(records: RecordOutlook, total: number): StreamForecast {
  const { stream, endpoint, known, unfetched, stale, changed, requestsPer = 1 } = records;
  const fresh = Math.max(0, total - known);
  const parts: DuePlan['reasons'] = { new: fresh, unfetched, changed, stale };
  const present = Object.entries(parts).filter(([, due]) => due > 0);
  return {
    stream,
    // A company may be due for several reasons, but it is fetched only once. So the sum is at most `total`.
    requests: Math.ceil(Math.min(total, fresh + unfetched + stale + changed) * requestsPer),
    endpoints: [endpoint],
    basis:
      present.length === 0 ? 'nothing due' : present.map(([reason, due]) => `${formatCount(due)} ${reason}`).join(', '),
  };
}

/**
 * Forecasts the requests for records that the answers of another stream name. For example, the listing of a company
 * names people. Assumes that new companies name as many records per company as the known companies do.
 * @param leader the stream whose answers name the records
 */
export function forecastFollowing(
  records: RecordOutlook,
  leader: Pick<RecordOutlook, 'stream' | 'known' | 'unfetched'>,
  total: number,
): StreamForecast {
  const { stream, endpoint, known } = records;
  const listed = leader.known - leader.unfetched;
  if (listed <= 0) {
    const basis = `unknown before the first night: one for each record that ${leader.stream} names`;
    return { stream, requests: 0, endpoints: [endpoint], basis };
  }
  const unlisted = Math.max(0, total - listed);
  return forecastRecords(records, known + Math.round((unlisted * known) / listed));
}

/** Returns how many seconds the requests take. The worker's concurrency and its requests per second limit the speed. */
export function forecastSeconds({ requests, endpoints }: StreamForecast, pace: Pace): number {
  const known = endpoints.flatMap((endpoint) => pace.latency[endpoint] ?? []);
  const latency = known.length > 0 ? Math.max(...known) : pace.typical;
  const inFlight = (requests * latency) / 1000 / pace.concurrency;
  return pace.requestsPerSecond === null ? inFlight : Math.max(inFlight, requests / pace.requestsPerSecond);
}

/**
 * Returns on how many days the requests are sent: on the first day with the rest of today's quota, on later days with
 * the full quota. Returns null if the API reports no daily quota.
 */
export function forecastDays(requests: number, quota: Quota | null): number | null {
  if (!quota || quota.total <= 0) return null;
  const today = Math.max(0, quota.total - quota.used);
  return requests <= today ? 1 : 1 + Math.ceil((requests - today) / quota.total);
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}
