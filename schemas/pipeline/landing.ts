import { z } from 'zod';
import type { Refusal } from './refusal.js';

/*
 * The landing zone: every answer as received. Terms:
 * - stream: one kind of answer or record, in its own folder.
 * - part: one immutable Parquet file. Manifest: the JSON file with a part's rows and hash, which makes the part valid.
 * - segment: one search of a market. Leaf: a segment small enough to read all its pages.
 * - carried over: a company not searched this night, kept from an earlier night with its date.
 */

/** Landing streams: one folder each under `data/landing/`. RECORD_STREAMS are Tidemark's own records about its runs. */
export const LandingStream = z.enum([
  'prospecting', //         POST /v2/prospecting, one row a page
  'companies', //           GET /v2/companies/{id}
  'financials', //          GET /v2/financial/{id}
  'financials_v1', //       GET /v1/finder/company/financial
  'companies_v1', //        GET /v1/finder/company/details
  'financials_ticker', //   GET /v2/financial/ticker; entity_id: the ticker
  'contact_metrics', //     GET /v2/metrics/contacts; entity_id: the day
  'executives', //          GET /v1/finder/company/executives and the routes that replace it; entity_id: the company
  'employees', //           POST /v2/employees, one row a page; entity_id: the company
  'employee_details', //    GET /v2/employees/{id}
  'ownership', //           GET /v2/kyb/{id}/ubo, one row a threshold
  'ownership_jobs', //      enrichment jobs of owners: starts, changed states and ends; entity_id: the company
  'tenders', //             POST /v1/finder/tenders, one row a page
  'tender_details', //      GET /v1/finder/tenders/details
  'nomenclatures', //       the three lookup routes; entity_id: v1, tenders, donors
  'watched_companies', //   GET /v2/companies/watch, one row a page
  'matches', //             enrichment and autocomplete for `tidemark resolve`; entity_id: the question
  'enrichments', //         enrichment of people for `tidemark enrich --people`; entity_id: the question
  'payee_checks', //        POST /v2/know-your-payee and /{id} for `tidemark payees check`; entity_id: the payee
  'payee_reports', //       GET /v2/know-your-payee/{id}; entity_id: the check
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

/** Run id of landed webhook deliveries. They belong to no Temporal run. */
export const WEBHOOK_RUN = 'webhook';

/** How the request key of a landed webhook delivery begins. */
export const WEBHOOK_REQUEST = 'WEBHOOK ';

/** How the request key of a row ends that names the unread pages of a listing. */
export const UNREAD_PAGES = ' (pages behind it)';

/** Streams of records about a run. Their rows do not count as rows that the run fetched. */
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
 * One landed answer: a row of `part-*.parquet`. The body is the API's text, byte for byte.
 * In the record streams (RECORD_STREAMS) the body is a JSON object of a record type below, with status 200.
 */
export interface LandedRow {
  /** Canonical request: `METHOD path` and the body or query with sorted keys. Never holds the API key. */
  request_key: string;
  /** Company id, tender slug or list name; null for pages of a search. */
  entity_id: string | null;
  /** Segment id (prospecting) or chunk id (all other streams). */
  segment: string;
  /** HTTP status; 0 when no HTTP answer came. The body is then the text of the error. */
  status: number;
  /** ISO instant, UTC, microseconds at most. */
  fetched_at: string;
  body: string;
  /** Hex SHA-256 of body. */
  sha256: string;
}

/**
 * `_manifest/<part>.json`, written once (temp, fsync, link) after its part. Readers ignore a part without a manifest.
 * Parquet columns: stream, run, date, market, then those of LandedRow. All are VARCHAR, except status INTEGER and
 * fetched_at TIMESTAMP (µs, UTC). market and entity_id may be NULL.
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
  /**
   * Parts whose rows this part holds after compaction. Readers ignore the replaced parts, even if their files still
   * exist.
   */
  replaces: z.array(z.object({ part: z.string(), sha256: z.string() })).optional(),
});
export type PartManifest = z.infer<typeof PartManifest>;

// ---- bodies of the record streams ----

/** Stream `carried`: members of the market that a run carried over from an earlier night. */
export interface CarriedRecord {
  /** Latest night that found these companies, YYYY-MM-DD. */
  seen_on: string;
  /** Decimal digits; numbers in records of older versions. */
  company_ids: string[];
}

/**
 * - complete: proven that no record is missing.
 * - partial: records are missing or may be missing.
 * - stopped: an operator stopped the run.
 */
export type CrawlOutcome = 'complete' | 'partial' | 'stopped';

/**
 * Stream `runs`: one row when a run opens (finished_at null) and one when its crawl ends. A run that fails or is
 * cancelled after its crawl has a third row. Readers use the latest row.
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
  /**
   * Outcome of the crawl alone, without the loading and publishing after it. Null when the crawl did not end. Left out
   * by older versions.
   */
  crawled?: CrawlOutcome | null;
  requests: number;
  rows: number;
  config_hash: string;
  /** The market's own filters. Nights with different filters are not compared. */
  filters: Record<string, unknown>;
  note: string | null;
  /** Why the market did not become current; null when it did. */
  held_back: string | null;
  /** Routes that the API refuses to the key; left out when there are none. */
  refused?: Refusal[];
}

/** Stream `segments`: a node of the segment tree. */
export interface SegmentRecord {
  segment: string;
  parent: string | null;
  /** Filters as sent. */
  filters: Record<string, unknown>;
  total_reported: number;
  rows_fetched: number;
  /**
   * Distinct companies found in this segment, including the segments split from it. Companies whose ids the warehouse
   * cannot hold do not count.
   */
  distinct_companies: number;
  /** Carried-over companies in this segment, including the segments split from it. */
  carried: number;
  /**
   * Date (YYYY-MM-DD) of the oldest observation among the carried-over companies; null when no company is carried over.
   */
  carried_since: string | null;
  pages: number;
  depth: number;
  /**
   * - leaf: all pages fetched, distinct companies = total.
   * - split: its children cover the whole segment.
   * - drifted: a leaf whose pages gave another count than its total (companies moved).
   * - truncated: above the page cap, with no dimension left to split by.
   * - remainder: split, but its children did not reach all companies.
   * - unusable: a leaf that lists companies whose ids the warehouse cannot hold.
   * - calibration: requested to learn how the API behaves.
   */
  state: 'leaf' | 'split' | 'drifted' | 'truncated' | 'remainder' | 'unusable' | 'calibration';
  /** Dimension along which the segment was split; null for a leaf. */
  split_by: string | null;
}

/** Stream `coverage`: one row for each run of a market. */
export interface CoverageRecord {
  market: string;
  reported_total: number;
  /**
   * Companies that this run's searches found, with ids that the warehouse can hold. Carried-over companies are not
   * included.
   */
  distinct_companies: number;
  missing: number;
  share: number;
  /**
   * Number of carried-over companies by the latest night (YYYY-MM-DD) that found them. Left out by older versions,
   * which counted these companies as found (`certificate.carried.found`).
   */
  carried?: Record<string, number>;
  why: CoverageGap[];
  certificate: CoverageCertificate;
}

/** A segment in which companies are missing or may be missing. */
export interface CoverageGap {
  segment: string;
  filters: Record<string, unknown>;
  /**
   * Companies that the segment's total counts and its pages did not list. 0: the number is unknown. Other segments may
   * have listed some of them, so the sum of all gaps may exceed the number of missing companies.
   */
  missing: number;
  reason: string;
  /** See CoverageCertificate. */
  class: 'drifted' | 'unsplittable' | 'unproven' | 'carried' | 'unusable';
}

/**
 * Found and missing companies, in classes by how well the search proves their number. Each company belongs to one
 * class: a found company to the surest class that applies, a missing company to the class of its gap.
 * - sum of `found` = distinct_companies
 * - sum of `missing` = missing
 * - both sums together, less `gone` = reported_total
 */
export interface CoverageCertificate {
  /** Companies in a segment whose pages listed exactly its total, and whose total did not change. */
  proven: { found: number; missing: number };
  /** Companies in a segment that changed while it was read (companies moved). */
  drifted: { found: number; missing: number };
  /** Companies in a search above the page cap that no dimension splits further. */
  unsplittable: { found: number; missing: number };
  /**
   * Found: companies in none of the classes above. Missing: companies that a search counts, but that none of its parts
   * lists.
   */
  unproven: { found: number; missing: number };
  /** Companies missing because later nights search for them (`markets[].remainderNights`). */
  carried: { found: number; missing: number };
  /** Companies listed with ids that the warehouse cannot hold. Left out by older versions. */
  unusable: { found: number; missing: number };
  /** Found companies that the API's total no longer included at the end of the search. */
  gone: number;
}

/** Stream `requests`: one row for each endpoint of a run, landed when the crawl ends. */
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
  /** True for the metric of the daily quota (`quota.metric`). */
  daily: boolean;
}

/** Stream `quota_drift`: the quota overuse of a run that read the daily metric at its start and its end. */
export interface QuotaOveruseRecord {
  metric: string;
  used_before: number;
  used_after: number;
  /** Requests that the run sent between the two readings, except requests for the metrics. */
  calls: number;
  /**
   * Calls that the API counted in addition to the run's own calls. Below 0: calls of the run that the API did not
   * count.
   */
  drift: number;
}

/** Stream `due`: one row for each stream and reason. The rows of a stream add up to its known entities. */
export interface DueRecord {
  stream: string;
  /** A DueReason, or `fresh` for entities that are not due. */
  reason: string;
  entities: number;
}

/** Stream `forecasts`: requests that a run expected at its start, one row for each kind of work. */
export interface ForecastRecord {
  stream: string;
  requests: number;
  /** Endpoints of RequestsRecord whose requests are compared with the forecast. */
  endpoints: string[];
  basis: string;
}
