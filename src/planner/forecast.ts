import type { DuePlan } from '../../schemas/pipeline/due.js';
import { formatCount } from '../progress/format.js';

/** The facts that calibration learned about a market's search, and the next steps of the plan. */
export interface SearchOutlook {
  /** Companies the API reports. */
  total: number;
  /** Rows on a page. */
  size: number;
  /** Requests sent so far. The forecast includes these requests. */
  asked: number;
  /**
   * - pages: the plan knows every page it will request (a market below the page cap, or version 1's listing).
   * - sweep: the market must be split, and the number of splits is unknown. `share`: part of the market with a value in
   *   the first dimension.
   */
  next: { kind: 'pages'; pages: number } | { kind: 'sweep'; share: number };
  /** Cost of an earlier search of the same market. */
  before: { requests: number; total: number } | null;
}

/** Facts about a stream's companies from the warehouse, before tonight's search. */
export interface RecordOutlook {
  stream: string;
  endpoint: string;
  /** Number of members on the market's current night. */
  known: number;
  /** Known companies never fetched, and those fetched longer ago than `refresh` allows. */
  unfetched: number;
  stale: number;
  /** Companies that were due in the last run for another reason: events, new names, new states, failures. */
  changed: number;
  /** Requests for one record. Default 1. */
  requestsPer?: number | undefined;
}

/** Expected requests of one stream. */
export interface StreamForecast {
  stream: string;
  requests: number;
  /** The forecast is compared with the requests that the run sends to these endpoints. */
  endpoints: string[];
  /** How the number of requests was calculated, for people. */
  basis: string;
}

/** How fast the worker sends requests. */
export interface Pace {
  /** Milliseconds of a request by endpoint; `typical` for endpoints not listed. */
  latency: Record<string, number>;
  typical: number;
  concurrency: number;
  requestsPerSecond: number | null;
}

export interface Quota {
  used: number;
  total: number;
}

// Requests of a cold sweep for each full page. A market under 1,000 pages takes `SMALL_SWEEP_COST` for each page.
const SWEEP_COST = 1.1;
const SMALL_SWEEP_COST = 1.2;
const SMALL_SWEEP_PAGES = 1_000;
// A second pass over companies without a value costs at most the market's pages, and at most 5 requests for each
// company.
const SECOND_PASS_PER_COMPANY = 5;

/** Forecasts the requests of a market's search, including calibration and the last request for the total. */
export function forecastSearch(search: SearchOutlook): StreamForecast {
  const { total, size, asked, next, before } = search;
  const pages = Math.ceil(total / Math.max(1, size));
  const forecast = (requests: number, basis: string): StreamForecast => ({
    stream: 'search',
    requests: Math.ceil(requests),
    endpoints: ['POST /v2/prospecting', 'POST /v1/finder/companies'],
    basis: `${formatCount(total)} companies, ${formatCount(size)} a page: ${basis}`,
  });
  if (next.kind === 'pages') return forecast(asked + next.pages + 1, `${formatCount(next.pages)} pages to read`);
  if (before && before.total > 0) {
    return forecast(
      (before.requests * total) / before.total,
      `like the last search, which took ${formatCount(before.requests)} requests`,
    );
  }
  const cost = pages < SMALL_SWEEP_PAGES ? SMALL_SWEEP_COST : SWEEP_COST;
  const lost = total * (1 - next.share);
  const second = Math.min(pages, SECOND_PASS_PER_COMPANY * lost);
  const without = lost > 0 ? `, and a second pass for the ${percent(1 - next.share)} without a value` : '';
  return forecast(asked + pages * next.share * cost + second + 1, `split until its parts can be read${without}`);
}

/** Forecasts the requests for a stream's records of a market with `total` companies. */
export function forecastRecords(records: RecordOutlook, total: number): StreamForecast {
  const { stream, endpoint, known, unfetched, stale, changed, requestsPer = 1 } = records;
  const fresh = Math.max(0, total - known);
  const parts: DuePlan['reasons'] = { new: fresh, unfetched, changed, stale };
  const present = Object.entries(parts).filter(([, due]) => due > 0);
  return {
    stream,
    // A company that is due for several reasons is fetched once.
    requests: Math.ceil(Math.min(total, fresh + unfetched + stale + changed) * requestsPer),
    endpoints: [endpoint],
    basis:
      present.length === 0 ? 'nothing due' : present.map(([reason, due]) => `${formatCount(due)} ${reason}`).join(', '),
  };
}

/**
 * Forecasts the requests for records that another stream names, such as the people whom a company's listing names. The
 * companies that are new tonight are expected to name as many records each as the known companies.
 * @param leader the companies of the stream that names the records
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

/**
 * Returns how many seconds the requests take. The concurrency and the requests per second of the worker limit the
 * speed.
 */
export function forecastSeconds({ requests, endpoints }: StreamForecast, pace: Pace): number {
  const known = endpoints.flatMap((endpoint) => pace.latency[endpoint] ?? []);
  const latency = known.length > 0 ? Math.max(...known) : pace.typical;
  const inFlight = (requests * latency) / 1000 / pace.concurrency;
  return pace.requestsPerSecond === null ? inFlight : Math.max(inFlight, requests / pace.requestsPerSecond);
}

/**
 * Returns the days that the requests take: first the rest of today's quota, then the whole quota of each day. Null when
 * the API reports no daily quota.
 */
export function forecastDays(requests: number, quota: Quota | null): number | null {
  if (!quota || quota.total <= 0) return null;
  const today = Math.max(0, quota.total - quota.used);
  return requests <= today ? 1 : 1 + Math.ceil((requests - today) / quota.total);
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}
