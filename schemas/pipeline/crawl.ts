import type { CrawlOutcome, LandingStream, RunRecord } from './landing.js';
import type { Coverage, DueSummary, Progress, Refusal, RunContext } from './run.js';

/** A list of entity ids to fetch, kept on disk (`data/runs/<run>/due/<stream>/<chunk>.json`): never in a payload. */
export interface ChunkRef {
  stream: LandingStream;
  /** Unique in the run; also names the landed part: `part-<chunk>.parquet`. */
  chunk: string;
  /** How many entities it lists. */
  entities: number;
}

/**
 * Why an entity is fetched. new: this run's search is the first that lists it. unfetched: known, but never asked for.
 * event: a watch event since the last answer. renamed, status: the search says another name or status than the details.
 * entered: in the market, but not the night before. changed: the listing says something else (tenders). watched: asked
 * for by date. failed: the last try brought no answer. stale: the last answer is older than `refresh` allows.
 */
export type DueReason =
  | 'new'
  | 'unfetched'
  | 'event'
  | 'renamed'
  | 'status'
  | 'entered'
  | 'changed'
  | 'watched'
  | 'failed'
  | 'stale';

/** An entry of a chunk file. */
export interface DueEntity {
  id: string;
  reason: DueReason;
}

export interface DuePlan {
  stream: LandingStream;
  /** Entities known, and of those how many are due in this run. */
  known: number;
  due: number;
  /** `due` by reason; reasons that name none are left out. */
  reasons: Partial<Record<DueReason, number>>;
  chunks: number;
  chunkSize: number;
  /** Set when nothing is due of a run that only does what is due. Left out by older workers. */
  idle?: boolean;
}

export interface PlanDueInput {
  ctx: RunContext;
  stream: 'companies' | 'financials' | 'financials_v1' | 'tender_details' | 'watch_events' | 'matches';
  chunkSize: number;
}

export interface CrawlChunkInput {
  ctx: RunContext;
  stream: LandingStream;
  /** Zero-based number of the chunk in the stream's due plan. */
  chunk: number;
  /** Requests in flight; null: its share of the configured `api.maxConcurrency`. */
  concurrency: number | null;
  /** How many chunks its run fetches at once; left out: one. */
  atOnce?: number;
  /** Requests it may send before it counts as limited; null or left out: any number. */
  budget?: number | null;
  /** How many calls for this chunk just before ended `doubted`; null or left out: the API gives no figure to doubt by. */
  doubts?: number | null;
  /** Routes that the API refused to this run before, as in `Refusal.endpoint`: they are not requested again. */
  refused?: string[];
}

export interface ChunkResult {
  /** Responses landed by this chunk, 404s included. */
  rows: number;
  /** Requests this attempt sent, retries included. */
  requests: number;
  /** Entities the API answered neither with a record nor with a plain "not found". */
  failed: number;
  /** Set when the daily limit stopped the chunk: the rest stays due. */
  limited: boolean;
  /** Set when all that is left was answered with the daily limit while the figure says that there is room. */
  doubted?: boolean;
  /** Routes that the API refuses to the key; left out when none. */
  refused?: Refusal[];
  /**
   * Set when nothing more of the stream is worth a request: its route is refused. `sure`: a record that was answered
   * before is refused now; otherwise no record was answered at all.
   */
  closed?: { sure: boolean };
}

export interface DiscoverInput {
  ctx: RunContext;
  /** At most this many requests in this activity; the next one goes on from what is landed. */
  budget: number;
  concurrency: number | null;
  /** Number of this call, from 0: names the landed part. */
  round: number;
}

export interface DiscoverResult {
  done: boolean;
  limited: boolean;
  requests: number;
  rows: number;
  /** Root's total as last reported; null before the first answer. */
  reportedTotal: number | null;
  distinctCompanies: number;
  coverage: Coverage | null;
  /** Segments with a shortfall, in words, at most five; the rest is in ops.coverage. */
  shortfalls: string[];
  /** Set when the API refuses searches to the key: there is nothing more to do. */
  refused?: Refusal;
}

/** Listings that are read page by page to the end, by one activity each. */
export type Listing = 'tenders' | 'watched_companies' | 'nomenclatures';

export interface ListInput {
  ctx: RunContext;
  listing: Listing;
}

export interface ListResult {
  rows: number;
  requests: number;
  entities: number;
  limited: boolean;
  /** Set when fewer came than the API's own total says. */
  shortfall: string | null;
  /** Lists that the API refuses to the key; left out when none. */
  refused?: Refusal[];
}

export interface QuotaStatus {
  /** False when the API answers metrics with no daily metric, or total 0: no figure, not "none left". */
  known: boolean;
  metric: string | null;
  used: number;
  total: number;
  /** False when the figure says that nothing is left. */
  open: boolean;
  /** Seconds until the quota is said to start anew (`quota.resetsAt`); null where that is not configured. */
  resetsIn: number | null;
  /** In words, how far this machine's clock is from the API's; null where that is nothing to speak of. */
  clock?: string | null;
  /** In words, why it could not be read for long; null where it was. */
  fault?: string | null;
}

/** A run that waits at the quota gate. */
export interface QuotaWaiter {
  ctx: RunContext;
  /** Lower ones go first. */
  priority: number;
}

/** What the quota gate carries over continue-as-new; `{}` when it is started. */
export interface QuotaGateState {
  waiting?: QuotaWaiter[];
  /** Seconds until it asks next; null: as the first in line is configured. */
  pause?: number | null;
  /** Workflow id of the run that tries where the API gives no figure. */
  trying?: string | null;
  /** Questions refused one after another. */
  refusals?: number;
}

/** How a run's activity reaches the gate: names that workflows own. */
export interface EnterQuotaGateInput {
  waiter: QuotaWaiter;
  workflowType: string;
  taskQueue: string;
  signal: string;
}

export interface CloseRunInput {
  ctx: RunContext;
  outcome: Exclude<RunRecord['outcome'], 'running'>;
  /** How its crawl ended, when it was closed before. */
  crawled?: CrawlOutcome | null;
  note: string | null;
  /** Why its market does not become current; null when it does. */
  heldBack: string | null;
  /** What the API refuses to the key; left out when nothing. */
  refused?: Refusal[];
  /** Responses its activities said they landed; left out where they were not counted from the start. */
  landed?: number;
}

export interface CloseRunResult {
  requests: number;
  rows: number;
  /** Requests it expected to send; null for runs that made no forecast. */
  forecast: number | null;
  /** What the API counted beyond the run's own calls, in words; null where that is nothing to speak of. */
  drift?: string | null;
}

/** Chunks that a run fetches at once, and the first chunk of the round after. */
export interface ChunkRound {
  chunks: number[];
  next: number;
}

/** What a top-level workflow carries over continue-as-new: where it stands and what it has counted. */
export interface CarriedRun {
  ctx: RunContext;
  paused: boolean;
  concurrency: number | null;
  /** Names of finished steps. */
  completed: string[];
  /** First chunk not done, of the step under way. */
  nextChunk: number;
  /** Chunks to fetch again, and the first chunk after them; null or missing: none. */
  again?: ChunkRound | null;
  progress: Progress;
  coverage: DiscoverResult['coverage'];
  /** Whether anything was not reached so far. */
  short: boolean;
  /** Whether the API gives no figure of the daily quota. Missing in what an older version carried over. */
  quotaUnknown?: boolean;
  /** Whether its notes say that this machine's clock is off. */
  clockNoted?: boolean;
  stopped?: boolean;
  /** Responses its activities said they landed; left out where an older version began the run. */
  landed?: number;
  due?: DueSummary[];
  /** Missing in what an older version carried over. */
  refused?: Refusal[];
  notes: string[];
}

export interface LoadResult {
  parts: number;
  rows: number;
  rejects: number;
  /** Why drift could not be looked for in some of it; left out when it could. */
  driftFault?: string | undefined;
  /** Of the parts loaded earlier, those that are gone from the landing zone, in words; left out when none is. */
  gone?: string | undefined;
}

export interface ModelsResult {
  models: number;
  failedAudits: string[];
  /** What the API said that its reference does not, in words, of this run; at most five. */
  drift?: string[];
  /** What a person should know of the models that were built. Left out in results of older workers. */
  notes?: string[];
  /** Set when the warehouse holds other companies of the run than its searches counted: what ops.coverage then says. */
  unloaded?: { coverage: Pick<Coverage, 'distinctCompanies' | 'missing' | 'share'>; reason: string } | null;
}

export interface PublishResult {
  /** Path of the published file, relative to the data folder. */
  file: string;
  tables: number;
  rows: number;
  /** What a person should know of it, a sentence each. */
  notes?: string[];
}
