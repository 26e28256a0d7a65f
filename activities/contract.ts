import type {
  ChunkResult,
  CloseRunInput,
  CloseRunResult,
  CrawlChunkInput,
  DiscoverInput,
  DiscoverResult,
  DuePlan,
  EnterQuotaGateInput,
  ListInput,
  ListResult,
  LoadResult,
  ModelsResult,
  PlanDueInput,
  PublishResult,
  QuotaStatus,
} from '../schemas/pipeline/crawl.js';
import type { OpenRunInput, RebuildResult, RunContext } from '../schemas/pipeline/run.js';

/**
 * Activities of the queue `tidemark-crawl`: they talk to the API and land what it says. Any number of workers.
 * This file is the leaf that workflows see: it imports types of schemas only, so that no Node global leaks into
 * the workflow sandbox.
 */
export interface CrawlActivities {
  /** Validates the input, reads the configuration, decides the logical date, lands the run's opening record. */
  openRun(input: OpenRunInput): Promise<RunContext>;
  /** One bounded piece of enumerating a market: plans, asks, lands; resumes from what is landed. */
  discoverMarket(input: DiscoverInput): Promise<DiscoverResult>;
  /** Reads one listing to its end and lands every page. */
  crawlListing(input: ListInput): Promise<ListResult>;
  /** Fetches one chunk of a due plan. */
  crawlChunk(input: CrawlChunkInput): Promise<ChunkResult>;
  /** Asks /v2/metrics and lands the reading; where a run begins, a clock that is a day off is refused. */
  readQuota(ctx: RunContext, begins?: boolean): Promise<QuotaStatus>;
  /** Puts a run into the line at the quota gate of its API key, which it starts where there is none. */
  enterQuotaGate(input: EnterQuotaGateInput): Promise<void>;
  /** Lands the run's closing record and its request statistics. */
  closeRun(input: CloseRunInput): Promise<CloseRunResult>;
}

/** Activities of the queue `tidemark-warehouse`: one writer at a time. */
export interface WarehouseActivities {
  /** Which entities of a stream are due, written as chunk files. */
  planDue(input: PlanDueInput): Promise<DuePlan>;
  /** Loads every landed part that is not loaded yet. */
  loadLanding(ctx: RunContext): Promise<LoadResult>;
  buildModels(ctx: RunContext): Promise<ModelsResult>;
  publishWarehouse(ctx: RunContext): Promise<PublishResult>;
  /** Validates the input (RebuildInput), then makes the warehouse anew from the landing zone and publishes it. */
  rebuildWarehouse(input: unknown): Promise<RebuildResult>;
}

export type Activities = CrawlActivities & WarehouseActivities;
