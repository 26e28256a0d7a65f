import { z } from 'zod';
import type { Refusal } from './run.js';

/** Landing streams: one folder each under `data/landing/`. Those of RECORD_STREAMS are Tidemark's own records about its runs. */
export const LandingStream = z.enum([
  'prospecting', //         POST /v2/prospecting, one row a page
  'companies', //           GET /v2/companies/{id}
  'financials', //          GET /v2/financial/{id}
  'financials_v1', //       GET /v1/finder/company/financial
  'tenders', //             POST /v1/finder/tenders, one row a page
  'tender_details', //      GET /v1/finder/tenders/details
  'nomenclatures', //       the four lookup routes; entity_id: v1, tenders, donors
  'watched_companies', //   GET /v2/companies/watch, one row a page
  'matches', //             enrichment and autocomplete for `tidemark resolve`; entity_id: the question
  'watch_events', //        GET /v2/companies/{id}/watch/events, one row a page
  'runs',
  'segments',
  'coverage',
  'requests',
  'quota',
  'due',
  'forecasts',
  'carried',
  'quota_drift',
]);
export type LandingStream = z.infer<typeof LandingStream>;

/** Run under which webhook deliveries are landed: they belong to none of Temporal's. */
export const WEBHOOK_RUN = 'webhook';

/** Streams that say how a run went; they are not counted as what it fetched. */
export const RECORD_STREAMS: ReadonlySet<string> = new Set<LandingStream>([
  'runs',
  'segments',
  'coverage',
  'requests',
  'quota',
  'due',
  'forecasts',
  'carried',
  'quota_drift',
]);

/**
 * One landed response: a row of `part-*.parquet`. The body is what the API said, byte for byte as text. For the
 * record streams (runs … forecasts) the body is a JSON object of the record type in this folder, status 200.
 */
export interface LandedRow {
  /** Canonical request: `METHOD path` plus the body or query with sorted keys. Never holds the API key. */
  request_key: string;
  /** Company id, tender slug, list name; null for pages of a search. */
  entity_id: string | null;
  /** Segment id (prospecting) or chunk id (everything else). */
  segment: string;
  /** HTTP status; 0 when no HTTP answer came at all (then body holds the error's text). */
  status: number;
  /** ISO instant, UTC, microseconds at most. */
  fetched_at: string;
  body: string;
  /** Hex SHA-256 of body. */
  sha256: string;
}

/**
 * `_manifest/<part>.json` beside the part: written once (temp, fsync, link) after it. A part without one does not exist.
 * Parquet columns: stream, run, date, market, then those of LandedRow; all VARCHAR but status INTEGER,
 * fetched_at TIMESTAMP (µs, UTC); market and entity_id may be NULL.
 */
export const PartManifest = z.object({
  stream: LandingStream,
  run: z.string(),
  date: z.string(),
  market: z.string().nullable(),
  chunk: z.string(),
  /** File name, `part-….parquet`, in the folder above `_manifest`. */
  part: z.string(),
  rows: z.number().int(),
  bytes: z.number().int(),
  /** Hex SHA-256 of the Parquet file. */
  sha256: z.string(),
  firstFetchedAt: z.string().nullable(),
  lastFetchedAt: z.string().nullable(),
  writtenAt: z.string(),
  /** Parts of the same folder whose rows are in this one: they count no more, whether they are still there or not. */
  replaces: z.array(z.object({ part: z.string(), sha256: z.string() })).optional(),
});
export type PartManifest = z.infer<typeof PartManifest>;

// ---- bodies of the record streams ----

/** Stream `carried`: members of the market that a run did not ask for, since an earlier night found them. */
export interface CarriedRecord {
  /** YYYY-MM-DD, the night they were last found. */
  seen_on: string;
  /** Decimal digits; numbers in records of older versions. */
  company_ids: string[];
}

/** complete: proven that nothing is missing. partial: something is, or may be. stopped: by an operator. */
export type CrawlOutcome = 'complete' | 'partial' | 'stopped';

/**
 * Stream `runs`: one row when a run opens (finished_at null), one when its crawl ends, and one more when it then fails or
 * is cancelled. The later one wins.
 */
export interface RunRecord {
  run_id: string;
  workflow_id: string;
  workflow_type: string;
  market: string | null;
  date: string;
  as_of_now: boolean;
  started_at: string;
  finished_at: string | null;
  outcome: 'running' | 'complete' | 'partial' | 'stopped' | 'failed' | 'cancelled';
  /** How its crawl ended, whatever came after; null where it did not. Missing in records of older versions. */
  crawled?: CrawlOutcome | null;
  requests: number;
  rows: number;
  config_hash: string;
  /** The market's own filters: nights that asked for different things are not compared. */
  filters: Record<string, unknown>;
  note: string | null;
  /** Why its market did not become current; null when it did. */
  held_back: string | null;
  /** What the API refuses to the key; left out when nothing. */
  refused?: Refusal[];
}

/** Stream `segments`: a node of the crawl tree. */
export interface SegmentRecord {
  segment: string;
  parent: string | null;
  /** Filters as sent. */
  filters: Record<string, unknown>;
  total_reported: number;
  rows_fetched: number;
  /** Distinct companies found at or below this node; not those whose ids the warehouse cannot hold. */
  distinct_companies: number;
  /** Companies at or below this node that earlier nights found and this run did not ask for. */
  carried: number;
  /** YYYY-MM-DD: each of them was found on that night or later; null where there are none. */
  carried_since: string | null;
  pages: number;
  depth: number;
  /**
   * leaf: all pages fetched and distinct = total. split: fully covered by its children. drifted: a leaf whose
   * pages gave another count than its total. truncated: above the page cap and no dimension left to split by.
   * remainder: split, but its children did not reach all of it. unusable: a leaf that lists companies whose ids the
   * warehouse cannot hold. calibration: asked to learn, not to enumerate.
   */
  state: 'leaf' | 'split' | 'drifted' | 'truncated' | 'remainder' | 'unusable' | 'calibration';
  /** Dimension its children split it by; null for a leaf. */
  split_by: string | null;
}

/** Stream `coverage`: one a market run. */
export interface CoverageRecord {
  market: string;
  reported_total: number;
  /** Found by this run's searches, with ids that the warehouse can hold. Never carried members. */
  distinct_companies: number;
  missing: number;
  share: number;
  /**
   * How many members this run did not ask for, by the night (YYYY-MM-DD) that found them last. Missing in records of older
   * versions, whose distinct_companies, missing and share count them as found (`certificate.carried.found`).
   */
  carried?: Record<string, number>;
  why: CoverageGap[];
  certificate: CoverageCertificate;
}

/** Where companies were not reached, or may not have been. */
export interface CoverageGap {
  segment: string;
  filters: Record<string, unknown>;
  /**
   * Companies counted here that no page listed here; some of them may have been seen elsewhere, so the gaps may add up
   * to more than is missing. 0: it cannot be told how many.
   */
  missing: number;
  reason: string;
  /** carried: left to later nights, so that only members of earlier nights tell of it. */
  class: 'drifted' | 'unsplittable' | 'unproven' | 'carried' | 'unusable';
}

/**
 * What the coverage rests on. Each company counts once, by its best proof. `found` of all classes adds up to
 * distinct_companies, `missing` to missing; all of it less `gone` is reported_total.
 */
export interface CoverageCertificate {
  /** Listed by a segment whose pages held as many companies as its total says, before and after. */
  proven: { found: number; missing: number };
  /** Listed by, or missing from, a segment that changed while it was read. */
  drifted: { found: number; missing: number };
  /** In a search above the page cap that nothing splits further. */
  unsplittable: { found: number; missing: number };
  /** Seen only in passing, or counted by a search whose parts do not reach them. */
  unproven: { found: number; missing: number };
  /** Missing where the search was left to later nights (`markets[].remainderNights`). */
  carried: { found: number; missing: number };
  /** Listed with ids that the warehouse cannot hold. Older records lack it. */
  unusable: { found: number; missing: number };
  /** Found, yet no longer counted at the end. */
  gone: number;
}

/** Stream `requests`: one row per run and endpoint, landed when the crawl ends. */
export interface RequestsRecord {
  endpoint: string;
  requests: number;
  errors: number;
  retries: number;
  bytes: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

/** Stream `quota`: one reading of one metric. */
export interface QuotaRecord {
  metric: string;
  used: number;
  total: number;
  read_at: string;
  /** Whether it is the metric that bounds a day's work (`quota.metric`). */
  daily: boolean;
}

/** Stream `quota_drift`: one a run that read the daily metric at its start and at its end. */
export interface QuotaDriftRecord {
  metric: string;
  used_before: number;
  used_after: number;
  /** Requests of the run in between, but for those for the metrics themselves. */
  calls: number;
  /** Calls the API counted that are not the run's own; below 0: calls of the run that it did not count. */
  drift: number;
}

/** Stream `due`: one row per stream and reason. The rows of a stream add up to the entities it knows of. */
export interface DueRecord {
  stream: string;
  /** A DueReason, or `fresh` for those that are not due. */
  reason: string;
  entities: number;
}

/** Stream `forecasts`: what a run expected to spend when it began, one row per stream of work. */
export interface ForecastRecord {
  stream: string;
  requests: number;
  /** Endpoints whose requests are the fact to compare with, as in RequestsRecord. */
  endpoints: string[];
  basis: string;
}
