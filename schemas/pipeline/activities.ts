import type { CrawlOutcome, RunRecord } from './landing.js';
import type { Cause, StatedReason } from './reason.js';
import type { Refusal } from './refusal.js';
import type { Coverage, RunContext } from './run.js';
import type { FetchedStreamName } from '../streams/streams.js';

/*
 * Inputs and results of the activities.
 *
 * Terms:
 * - stream: one kind of record, such as `companies`. Entity: one company, tender or question of a stream.
 * - due: to be fetched in this run. Chunk: the due entities that one activity fetches.
 * - round: one activity of a market's search. Also the chunks that a run fetches at the same time.
 * - limited: stopped by the daily limit.
 * - closed: the API refuses to answer a route for this API key.
 *
 * Fields "for people" hold sentences that the UI and the CLI show.
 */

/** Input of `planDue`. */
export interface PlanDueInput {
  ctx: RunContext;
  stream: FetchedStreamName;
  /** Largest number of records in one chunk. */
  chunkSize: number;
  /**
   * Streams of companies that the run fetches after this one. The activity drafts their plans, so that they need not
   * wait for a load. Left out: none.
   */
  ahead?: FetchedStreamName[];
  /** Whether the searches of this run found the whole market. Left out: false. */
  wholeMarket?: boolean;
}

/** Input of `crawlChunk`. */
export interface CrawlChunkInput {
  ctx: RunContext;
  stream: FetchedStreamName;
  /** Number of the chunk file within its stream, from 0. */
  chunk: number;
  /** Limit of requests in flight for this chunk. Null: the share of the worker. */
  concurrency: number | null;
  /** Number of requests that the chunk may send before it ends as `limited`. Null: no limit. */
  budget: number | null;
  /** Routes that the API has refused to this run, named as in `Refusal.endpoint`. The chunk does not request them. */
  refused?: string[];
}

/**
 * Result of `crawlChunk`. It is in one of three states:
 * - `limited` is true: run the chunk again when quota is left.
 * - `closed` is set: the API refuses the route.
 * - neither: the chunk is done.
 */
export interface ChunkResult {
  /** Number of answers that this chunk landed. Answers with status 404 count, too. */
  rows: number;
  /** Requests that this attempt sent, retries included. */
  requests: number;
  /** Number of records without a usable answer. "Not found" is a usable answer, too. */
  failed: number;
  /** True when the daily limit stopped the chunk. The records that are still missing stay due. */
  limited: boolean;
  /** Routes that the API refuses to this API key; left out when there are none. */
  refused?: Refusal[];
  /**
   * Set when the API refuses the stream's route. The chunk then sends no more requests. `sure` is true if the API
   * refused a record that it had answered earlier, or has answered only `limit` for two hours. `sure` is false if the
   * API has not answered any record yet.
   */
  closed?: { sure: boolean };
  /** Number of crawl workers, as the worker counted last. */
  workers: number;
}

/** Input of `discoverMarket`, one round of a market's search. */
export interface DiscoverInput {
  ctx: RunContext;
  /**
   * Number of requests after which this round ends. A few requests for the forecast and for comparisons may come on
   * top. The next round continues from the landed answers.
   */
  budget: number;
  /** Limit of requests in flight. Null: the configured limit. */
  concurrency: number | null;
  /** Number of this round, from 0. The name of the landed part contains it. */
  round: number;
}

/** Result of one round of a market's search. */
export interface DiscoverResult {
  done: boolean;
  /** True when the daily limit stopped the round. */
  limited: boolean;
  requests: number;
  rows: number;
  /** Total that the API last reported for the market; null before the first answer. */
  reportedTotal: number | null;
  distinctCompanies: number;
  coverage: Coverage | null;
  /** Why companies are missing, one cause for each code. ops.coverage has the gap of each segment. */
  causes: Cause[];
  /** Set when the API refuses searches to this API key. The run then cannot continue. */
  refused?: Refusal;
}

/** Input of `pollOwnerJobs`. */
export interface PollOwnerJobsInput {
  ctx: RunContext;
  /** Number of this round, from 0. The name of the landed part contains it. */
  round: number;
}

/** Result of one round of polls. */
export interface PollOwnerJobsResult {
  /** Number of the run's enrichment jobs that have not ended. */
  open: number;
  /** Seconds until the next job may be polled again. */
  nextInSeconds: number;
  rows: number;
  requests: number;
  /** True when the daily limit stopped the round. */
  limited: boolean;
  /** Number of jobs that ended in this round without a result. */
  fruitless: number;
  /** Routes that the API refuses to this API key; left out when there are none. */
  refused?: Refusal[];
}

/** Listings that the API shows page by page. */
export type PagedListing = 'tenders' | 'watched_companies';

/** Lists with few items, such as lookup lists and days. One request reads an item. */
export type ShortListing = 'nomenclatures' | 'contact_metrics';

/** One activity reads a listing to its end. */
export type Listing = PagedListing | ShortListing;

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
  /** Why fewer entities were read than the API reports; null when none is missing. For people. */
  shortfall: string | null;
  /** Lists that the API refuses to this API key; left out when there are none. */
  refused?: Refusal[];
}

/** A reading of the daily quota from `/v2/metrics`. */
export interface QuotaStatus {
  /**
   * False when the API gives no daily metric, or gives a total of 0, or when the reading failed (`fault`). The quota is
   * then unknown; it is not used up.
   */
  known: boolean;
  metric: string | null;
  used: number;
  total: number;
  /** False when this reading shows that no quota is left. */
  open: boolean;
  /** How far this machine's clock is from the API's, for people; null when the clocks agree. */
  clock: string | null;
  /** Why the quota could not be read, for people; null when it was read. */
  fault: string | null;
}

/** A run that waits at the quota gate. */
export interface QuotaWaiter {
  ctx: RunContext;
  /** Runs with a lower number go first. */
  priority: number;
}

/** Input of `enterQuotaGate`. The three names tell the activity how to find or start the quota gate. */
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
  /** Outcome of the crawl. Null if the run closes although its crawl has not ended. */
  crawled: CrawlOutcome | null;
  note: string | null;
  /** Why the thresholds hold the market's night back; null when they do not. */
  heldBack: string | null;
  /** Why the run is not complete; empty if it is. */
  why: StatedReason[];
  /** Routes that the API refuses to this API key. */
  refused: Refusal[];
  /**
   * Number of answers that the activities landed, which the landing zone must hold. Null in a run that failed or was
   * cancelled: its landing zone is not checked.
   */
  landed: number | null;
}

/** Totals of a closed run. */
export interface CloseRunResult {
  requests: number;
  rows: number;
  /** Number of requests in the forecast; null for runs without a forecast. */
  forecast: number | null;
  /**
   * Quota overuse, for people: calls that the API counted in addition to the run's own calls. Null when too small to
   * report.
   */
  drift: string | null;
}

/** Result of `loadLanding`. */
export interface LoadResult {
  parts: number;
  rows: number;
  rejects: number;
  /** Why some answers could not be checked for schema drift; left out when all were checked. */
  driftFault?: string | undefined;
  /**
   * What is wrong with landed parts, for people: missing, damaged, or with answers that could not be loaded. Left out if
   * nothing is wrong.
   */
  gone?: string | undefined;
}

/** Result of `buildModels`. */
export interface ModelsResult {
  models: number;
  failedAudits: string[];
  /** Schema drift of this run, for people: at most five items. ops.drift has all items. */
  drift: string[];
  /** Schema drift that no earlier run had: at most five items. */
  newDrift: string[];
  /** Notes on the built models, for people. */
  notes: string[];
  /**
   * Set when the warehouse holds another number of the run's companies than the searches found. `coverage` has the
   * corrected values, as in ops.coverage.
   */
  unloaded: {
    coverage: Pick<Coverage, 'distinctCompanies' | 'missing' | 'share'>;
    reason: string;
    counted: number;
    loaded: number;
  } | null;
}

/** Result of `publishWarehouse`. */
export interface PublishResult {
  /** Path of the published file, relative to the data folder. */
  file: string;
  tables: number;
  rows: number;
  /** Notes on the build, for people, one sentence each. */
  notes: string[];
}
