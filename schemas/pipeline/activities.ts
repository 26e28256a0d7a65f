import type { CrawlOutcome, RunRecord } from './landing.js';
import type { Refusal } from './refusal.js';
import type { Coverage, RunContext } from './run.js';
import type { FetchedStreamName } from './streams.js';

/*
 * Inputs and results of the activities.
 *
 * Terms:
 * - stream: one kind of record, such as `companies`. Entity: one company, tender or question of a stream.
 * - due: to be fetched in this run. Chunk: the due entities that one activity fetches.
 * - round: one activity of a market's search; also the chunks that a run fetches at once.
 * - limited: stopped by the daily limit. Suspected limit (`doubted`): a daily-limit answer although quota is left.
 * - closed: the API refuses a route to the key.
 *
 * Fields "for people" hold sentences that the UI and the CLI show.
 */

/** Input of `planDue`. */
export interface PlanDueInput {
  ctx: RunContext;
  stream: FetchedStreamName;
  /** Largest number of records in one chunk. */
  chunkSize: number;
}

/** Input of `crawlChunk`. */
export interface CrawlChunkInput {
  ctx: RunContext;
  stream: FetchedStreamName;
  /** Number of the chunk file in the stream, from 0. */
  chunk: number;
  /** Most requests in flight for this chunk. Null: its share of `api.maxConcurrency`. */
  concurrency: number | null;
  /** Number of chunks that the run fetches at the same time. Left out: one. */
  atOnce?: number;
  /** Requests that the chunk may send before it ends as `limited`; null or left out: any number. */
  budget?: number | null;
  /**
   * How often in a row this activity got only suspected limits for this chunk. Null or left out: the API gives no quota
   * figure.
   */
  doubts?: number | null;
  /** Routes that the API has refused to this run, as in `Refusal.endpoint`. The chunk does not request them. */
  refused?: string[];
}

/**
 * Result of `crawlChunk`.
 *
 * States: `limited` (run the chunk again when there is quota), `closed` (the route is refused), else done.
 */
export interface ChunkResult {
  /** Answers landed by this chunk, 404s included. */
  rows: number;
  /** Requests that this attempt sent, retries included. */
  requests: number;
  /** Records without a usable answer: neither the record itself nor "not found". */
  failed: number;
  /** True when the daily limit stopped the chunk. The records that are still missing stay due. */
  limited: boolean;
  /**
   * True for a suspected limit: the API answered `limits.daily` to every remaining record, while `/v2/metrics` still
   * shows quota.
   */
  doubted?: boolean;
  /** Routes that the API refuses to the key; left out when there are none. */
  refused?: Refusal[];
  /**
   * Set when the API refuses the stream's route. The chunk then sends no more requests. `sure` is true if the API
   * refused a record that it had answered before. `sure` is false if the API has answered no record at all.
   */
  closed?: { sure: boolean };
}

/** Input of `discoverMarket`, one round of a market's search. */
export interface DiscoverInput {
  ctx: RunContext;
  /** Most requests that this round may send. The next round resumes from the landed answers. */
  budget: number;
  /** Requests in flight; null: as configured. */
  concurrency: number | null;
  /** Number of this round, from 0; names the landed part. */
  round: number;
}

/** Result of one round of a market's search. */
export interface DiscoverResult {
  done: boolean;
  /** True when the daily limit stopped the round. */
  limited: boolean;
  requests: number;
  rows: number;
  /** Latest total of the market that the API reported; null before the first answer. */
  reportedTotal: number | null;
  distinctCompanies: number;
  coverage: Coverage | null;
  /** Gaps of at most five segments, for people; ops.coverage has all gaps. */
  shortfalls: string[];
  /** Set when the API refuses searches to the key; the run cannot continue. */
  refused?: Refusal;
}

/** Input of `pollOwnerJobs`. */
export interface PollOwnerJobsInput {
  ctx: RunContext;
  /** Number of this round, from 0; names the landed part. */
  round: number;
}

/** Result of one round of polls. */
export interface PollOwnerJobsResult {
  /** Jobs of the run that have not ended. */
  open: number;
  /** Seconds until the next job may be polled again. */
  nextInSeconds: number;
  rows: number;
  requests: number;
  /** True when the daily limit stopped the round. */
  limited: boolean;
  /** Jobs that ended in this round without a result. */
  fruitless: number;
  /** Routes that the API refuses to the key; left out when there are none. */
  refused?: Refusal[];
}

/** Listings. One activity reads a listing page by page to its end. */
export type Listing = 'tenders' | 'watched_companies' | 'nomenclatures' | 'contact_metrics';

/** Input of `crawlListing`. */
export interface ListInput {
  ctx: RunContext;
  listing: Listing;
}

/** Result of `crawlListing`. */
export interface ListResult {
  rows: number;
  requests: number;
  entities: number;
  limited: boolean;
  /** Why the listing has fewer entities than the total that the API reports; null when it has all. */
  shortfall: string | null;
  /** Lists that the API refuses to the key; left out when there are none. */
  refused?: Refusal[];
}

/** A reading of the daily quota from `/v2/metrics`. */
export interface QuotaStatus {
  /** False when the API gives no daily metric, or a total of 0. The quota is then unknown, not used up. */
  known: boolean;
  metric: string | null;
  used: number;
  total: number;
  /** False when the reading shows that no quota is left. */
  open: boolean;
  /** Seconds until the configured reset of the quota (`quota.resetsAt`); null when not configured. */
  resetsIn: number | null;
  /** How far this machine's clock is from the API's, for people; null when the clocks agree. */
  clock?: string | null;
  /** Why the quota could not be read for a long time, for people; null when it was read. */
  fault?: string | null;
}

/** A run that waits at the quota gate. */
export interface QuotaWaiter {
  ctx: RunContext;
  /** Runs with a lower number go first. */
  priority: number;
}

/**
 * Input of `enterQuotaGate`: the names with which the activity finds or starts the quota gate. Workflows define the
 * names.
 */
export interface EnterQuotaGateInput {
  waiter: QuotaWaiter;
  workflowType: string;
  taskQueue: string;
  signal: string;
}

/** Input of `closeRun`. */
export interface CloseRunInput {
  ctx: RunContext;
  outcome: Exclude<RunRecord['outcome'], 'running'>;
  /** Outcome of the crawl, if the crawl ended before this record. */
  crawled?: CrawlOutcome | null;
  note: string | null;
  /** Why the market does not become current; null when it does. */
  heldBack: string | null;
  /** Routes that the API refuses to the key; left out when there are none. */
  refused?: Refusal[];
  /** Answers that the activities landed; left out when they were not counted from the start. */
  landed?: number;
}

/** Totals of a closed run. */
export interface CloseRunResult {
  requests: number;
  rows: number;
  /** Forecast requests; null for runs without a forecast. */
  forecast: number | null;
  /** Quota overuse, for people: calls that the API counted in addition to the run's own calls. Null when negligible. */
  drift?: string | null;
}

/** Result of `loadLanding`. */
export interface LoadResult {
  parts: number;
  rows: number;
  rejects: number;
  /** Why schema drift could not be checked in some answers; left out when all were checked. */
  driftFault?: string | undefined;
  /** Loaded parts that have disappeared from the landing zone, for people; left out when there are none. */
  gone?: string | undefined;
}

/** Result of `buildModels`. */
export interface ModelsResult {
  models: number;
  failedAudits: string[];
  /** Schema drift of this run, for people, at most five items; ops.drift has all. */
  drift?: string[];
  /** Notes on the models built, for people. Left out in results of older workers. */
  notes?: string[];
  /**
   * Set when the number of the run's companies in the warehouse differs from the number that the searches found.
   * `coverage` has the corrected values, as in ops.coverage.
   */
  unloaded?: { coverage: Pick<Coverage, 'distinctCompanies' | 'missing' | 'share'>; reason: string } | null;
}

/** Result of `publishWarehouse`. */
export interface PublishResult {
  /** Path of the published file, relative to the data folder. */
  file: string;
  tables: number;
  rows: number;
  /** Notes on the build, for people, one sentence each. */
  notes?: string[];
}
