import type { DuePlan } from '../../schemas/pipeline/crawl.js';

/** What calibration told of a market's search, and what the plan wants next. */
export interface SearchOutlook {
  /** Companies the API counts. */
  total: number;
  /** Rows of a page. */
  size: number;
  /** Requests made to learn this; they are part of the search. */
  asked: number;
  /**
   * pages: the plan knows every page it will ask for (a market below the page cap, or version 1's listing). sweep: the
   * market has to be split, and how often only the splitting tells.
   */
  next: { kind: 'pages'; pages: number } | { kind: 'sweep'; share: number };
  /** An earlier search of the same market: what it cost. */
  before: { requests: number; total: number } | null;
}

/** What is known of a stream's records before the search has found out who is in the market tonight. */
export interface RecordOutlook {
  stream: string;
  endpoint: string;
  /** Members of the current night. */
  known: number;
  /** Of those: never answered, and answered longer ago than `refresh` allows. */
  unfetched: number;
  stale: number;
  /** Of those of the last run: due for what happened since (events, names, failures). */
  changed: number;
}

export interface StreamForecast {
  stream: string;
  requests: number;
  /** Endpoints whose requests are the fact to compare with. */
  endpoints: string[];
  /** What the figure is made of, in words. */
  basis: string;
}

export interface Pace {
  /** Milliseconds of a request by endpoint, and of one whose endpoint is not known. */
  latency: Record<string, number>;
  typical: number;
  concurrency: number;
  requestsPerSecond: number | null;
}

export interface Quota {
  used: number;
  total: number;
}

// Requests of a cold sweep for each page it fills; markets of few searches lose more at the edges.
const SWEEP_COST = 1.1;
const SMALL_SWEEP_COST = 1.2;
const SMALL_SWEEP_PAGES = 1_000;
// A second pass looks for companies without a value: at most the market's pages again, and so many for each company.
const SECOND_PASS_PER_COMPANY = 5;

/** Requests of a market's search, calibration included. Every search ends by asking the market's total again. */
export function forecastSearch(search: SearchOutlook): StreamForecast {
  const { total, size, asked, next, before } = search;
  const pages = Math.ceil(total / Math.max(1, size));
  const forecast = (requests: number, basis: string): StreamForecast => ({
    stream: 'search',
    requests: Math.ceil(requests),
    endpoints: ['POST /v2/prospecting', 'POST /v1/finder/companies'],
    basis: `${count(total)} companies, ${size} a page: ${basis}`,
  });
  if (next.kind === 'pages') return forecast(asked + next.pages + 1, `${count(next.pages)} pages to read`);
  if (before && before.total > 0) {
    return forecast(
      (before.requests * total) / before.total,
      `as the last search, which took ${count(before.requests)} requests`,
    );
  }
  const cost = pages < SMALL_SWEEP_PAGES ? SMALL_SWEEP_COST : SWEEP_COST;
  const lost = total * (1 - next.share);
  const second = Math.min(pages, SECOND_PASS_PER_COMPANY * lost);
  const without = lost > 0 ? `, and a second pass for the ${percent(1 - next.share)} without a value` : '';
  return forecast(asked + pages * next.share * cost + second + 1, `split until its parts can be read${without}`);
}

/** Requests for the records of a stream, one a company, if the market has `total` companies tonight. */
export function forecastRecords(records: RecordOutlook, total: number): StreamForecast {
  const { stream, endpoint, known, unfetched, stale, changed } = records;
  const fresh = Math.max(0, total - known);
  const parts: DuePlan['reasons'] = { new: fresh, unfetched, changed, stale };
  const told = Object.entries(parts).filter(([, due]) => due > 0);
  return {
    stream,
    // Whatever comes together, nobody is asked twice.
    requests: Math.min(total, fresh + unfetched + stale + changed),
    endpoints: [endpoint],
    basis: told.length === 0 ? 'nothing due' : told.map(([reason, due]) => `${count(due)} ${reason}`).join(', '),
  };
}

/** Seconds that requests take: in flight together, and no faster than the pacing allows. */
export function forecastSeconds({ requests, endpoints }: StreamForecast, pace: Pace): number {
  const known = endpoints.flatMap((endpoint) => pace.latency[endpoint] ?? []);
  const latency = known.length > 0 ? Math.max(...known) : pace.typical;
  const inFlight = (requests * latency) / 1000 / pace.concurrency;
  return pace.requestsPerSecond === null ? inFlight : Math.max(inFlight, requests / pace.requestsPerSecond);
}

/**
 * Days until so many requests are spent: today with what is left of the daily metric, then a whole total each day. Null
 * where the API gives no total: then nobody can tell.
 */
export function forecastDays(requests: number, quota: Quota | null): number | null {
  if (!quota || quota.total <= 0) return null;
  const today = Math.max(0, quota.total - quota.used);
  return requests <= today ? 1 : 1 + Math.ceil((requests - today) / quota.total);
}

function count(value: number): string {
  return value.toLocaleString('en-US');
}

function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}
