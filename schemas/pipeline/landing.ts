import { z } from 'zod';
import type { Cause, Reason, ReasonCode, StatedReason } from './reason.js';
import type { Refusal } from './refusal.js';
import { LandingStream } from '../streams/landing-streams.js';

/*
 * The landing zone holds every answer as received. Terms:
 * - stream: one kind of answer or record, with its own folder.
 * - part: one immutable Parquet file. Manifest: the JSON file with a part's rows and hash. It makes the part valid.
 * - segment: one search of a market. Leaf: a segment small enough to read all its pages.
 */

/** Run id of landed webhook deliveries, which belong to no Temporal run. */
export const WEBHOOK_RUN = 'webhook';

/** Start of the request key of a landed webhook delivery. */
export const WEBHOOK_REQUEST = 'WEBHOOK ';

/** End of a request key whose row stands for the pages of a listing that were not read. */
export const UNREAD_PAGES = ' (pages behind it)';

/**
 * One landed answer: a row of `part-*.parquet`. The body is the API's text, byte for byte. If personal data was
 * removed, it is the rest. If the answer is an error, it is the start of the error's text. In a stream of
 * RECORD_STREAMS, the body is instead one of the JSON records below, and the status is 200.
 */
export interface LandedRow {
  /**
   * The request in a canonical form: `METHOD path`, then the body or query with sorted keys. Never holds the API key.
   */
  request_key: string;
  /** Id, slug or question of the record, as LandingStream says; null for pages of a search. */
  entity_id: string | null;
  /**
   * Kind of the row in its stream, such as `record`, `page-2`, `last-3`, `gone` or `failed`: see the stream's fetcher in
   * src/crawl/streams/. In the stream `prospecting`, the id of the segment that was searched; in the streams of
   * RECORD_STREAMS, the name of the chunk.
   */
  row_kind: string;
  /**
   * HTTP status; always 404 when the API says that the record does not exist. 0 when no usable answer came, or when
   * Tidemark wrote the row itself; the body is then a text of Tidemark.
   */
  status: number;
  /** ISO instant in UTC, with at most microseconds. */
  fetched_at: string;
  body: string;
  /** Hex SHA-256 of body. */
  sha256: string;
}

/**
 * Content of `_manifest/<part>.json`. It is written once, after its part (temporary file, fsync, link). Readers ignore
 * a part without a manifest.
 *
 * Columns of the Parquet file: stream, run, date and market, then the columns of LandedRow. All are VARCHAR, except
 * status (INTEGER) and fetched_at (TIMESTAMP in µs, UTC). market and entity_id may be NULL.
 */
export const PartManifest = z.object({
  stream: LandingStream,
  run: z.string(),
  date: z.string(),
  market: z.string().nullable(),
  chunk: z.string(),
  /** File name, `part-….parquet`. The file is in the folder above `_manifest`. */
  part: z.string(),
  rows: z.number().int(),
  bytes: z.number().int(),
  /** Hex SHA-256 of the Parquet file. */
  sha256: z.string(),
  firstFetchedAt: z.string().nullable(),
  lastFetchedAt: z.string().nullable(),
  writtenAt: z.string(),
  /**
   * Parts that compaction replaced by this part. This part holds their rows. Readers ignore the replaced parts, even if
   * their files still exist.
   */
  replaces: z.array(z.object({ part: z.string(), sha256: z.string() })).optional(),
});
export type PartManifest = z.infer<typeof PartManifest>;

// ---- bodies of the record streams ----

/**
 * - complete: the run knows of no missing record.
 * - partial: records are missing or may be missing.
 * - stopped: an operator stopped the run.
 */
export type CrawlOutcome = 'complete' | 'partial' | 'stopped';

/**
 * How a run ended. Runs cannot record `terminated`, `timed_out` and `lost` themselves, so the next run does. `lost`:
 * Temporal does not know the run, because its server lost its database or has removed the run.
 */
export type RunOutcome = 'running' | CrawlOutcome | 'failed' | 'cancelled' | 'terminated' | 'timed_out' | 'lost';

/**
 * Record of the stream `runs`. A run has one row when it opens (finished_at null) and one when its crawl ends. A run
 * that fails, or is cancelled or terminated, has one more row. Readers use the latest row.
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
  outcome: RunOutcome;
  /** Outcome of the crawl alone, without the loading and publishing that follow. Null when the crawl did not end. */
  crawled: CrawlOutcome | null;
  requests: number;
  rows: number;
  config_hash: string;
  /** The market's own filters. Two nights are compared only if these filters are the same. */
  filters: Record<string, unknown>;
  note: string | null;
  /** Why the thresholds held the market's night back; null when they did not. */
  held_back: string | null;
  /** Why the run was not complete at its end; left out when it was. */
  why?: StatedReason[];
  /** Routes that the API refuses to this API key; left out when there are none. */
  refused?: Refusal[];
}

/** Record of the stream `segments`: one segment in the tree of segments. */
export interface SegmentRecord {
  segment: string;
  parent: string | null;
  /** Filters that the request sent. */
  filters: Record<string, unknown>;
  total_reported: number;
  rows_fetched: number;
  /**
   * Distinct companies found in this segment and in the segments split from it. Companies with ids that the warehouse
   * cannot hold do not count.
   */
  distinct_companies: number;
  pages: number;
  depth: number;
  /**
   * - leaf: all pages fetched; distinct companies = total.
   * - split: the segments split from it cover the whole segment.
   * - moved: a leaf whose pages listed another number of companies than its total, because companies moved.
   * - truncated: has more companies than the page cap allows to read, and no dimension is left to split by.
   * - remainder: split, but the segments split from it did not reach all companies.
   * - unusable: a leaf that lists companies whose ids the warehouse cannot hold.
   * - calibration: requested to learn how the API behaves.
   */
  state: 'leaf' | 'split' | 'moved' | 'truncated' | 'remainder' | 'unusable' | 'calibration';
  /** Dimension along which the segment was split; null for a leaf. */
  split_by: string | null;
}

/** Record of the stream `coverage`: one row for each run of a market. */
export interface CoverageRecord {
  market: string;
  reported_total: number;
  /**
   * Number of different companies that this run's searches found. Not counted: companies whose id the warehouse cannot
   * hold (src/base/company-id.ts).
   */
  distinct_companies: number;
  missing: number;
  /** distinct_companies ÷ reported_total. Null: unknown, because the API caps its total or contradicts it. */
  share: number | null;
  why: CoverageGap[];
  /** The gaps joined by code, the largest first. */
  causes: Cause[];
  certificate: CoverageCertificate;
}

/** A segment in which companies are missing or may be missing. */
export interface CoverageGap {
  segment: string;
  filters: Record<string, unknown>;
  /**
   * Companies that the segment's total counts but its pages did not list. 0: the number is unknown. Other segments may
   * have listed some of these companies. So the sum of all gaps may exceed the number of missing companies.
   */
  missing: number;
  /** The reason for people. `code` and `values` say it for programs. */
  reason: string;
  code: ReasonCode;
  values: Reason['values'];
  /** Other problems of this segment's split. With `segment`, the problem of a segment below. */
  also?: (StatedReason & { segment?: string })[];
  /** Dimensions along which the segment was split. */
  split_by?: string[];
  /** Why some dimensions could not be used to split the market. */
  unusable?: string[];
  /** See CoverageCertificate. */
  class: 'moved' | 'unsplittable' | 'unproven' | 'unusable';
}

/**
 * Counts found and missing companies in classes. A class states how well the search proves the number. Each company
 * belongs to one class: a found company to the surest class that applies, a missing company to the class of its gap.
 * - The sum of all `found` is distinct_companies.
 * - The sum of all `missing` is missing.
 * - Both sums together, minus `gone`, are reported_total.
 */
export interface CoverageCertificate {
  /** Companies in segments whose pages listed exactly the total, and whose total did not change. */
  proven: { found: number; missing: number };
  /** Companies in segments that changed while they were read (companies moved). */
  moved: { found: number; missing: number };
  /** Companies in searches above the page cap that no dimension splits further. */
  unsplittable: { found: number; missing: number };
  /**
   * Found: companies in none of the other classes. Missing: companies that a search counts, but that no segment split
   * from it lists.
   */
  unproven: { found: number; missing: number };
  /** Companies listed with ids that the warehouse cannot hold. */
  unusable: { found: number; missing: number };
  /** Found companies that the API no longer counted in its total at the end of the search. */
  gone: number;
}

/** Record of the stream `requests`: one row for each endpoint of a run, landed when the crawl ends. */
export interface RequestsRecord {
  endpoint: string;
  requests: number;
  errors: number;
  retries: number;
  bytes: number;
  p50_ms: number | null;
  p99_ms: number | null;
}

/** Record of the stream `quota`: one reading of one metric. */
export interface QuotaRecord {
  metric: string;
  used: number;
  total: number;
  read_at: string;
  /** True for the metric of the daily quota (`quota.metric`). */
  daily: boolean;
}

/**
 * Record of the stream `quota_overuse`: the quota overuse of a run. Exists only for runs that read the daily metric at
 * their start and at their end.
 */
export interface QuotaOveruseRecord {
  metric: string;
  used_before: number;
  used_after: number;
  /** Requests that the run sent between the two readings, except requests for the metrics. */
  calls: number;
  /** Requests in `calls` without a logged answer, because a worker was killed. Missing if there are none. */
  unknown?: number;
  /**
   * Calls that the API counted in addition to the run's own calls. Negative: the API did not count some calls of the
   * run.
   */
  overuse: number;
}

/**
 * Record of the stream `due`: one row for each stream and reason. The rows of a stream add up to its known entities.
 */
export interface DueRecord {
  stream: string;
  /** A DueReason, or `fresh` for entities that are not due. */
  reason: string;
  entities: number;
}

/** Record of the stream `forecasts`: how many requests a run expected at its start. One row for each kind of work. */
export interface ForecastRecord {
  stream: string;
  requests: number;
  /** Endpoints, as in RequestsRecord. The requests to them are compared with the forecast. */
  endpoints: string[];
  basis: string;
}
