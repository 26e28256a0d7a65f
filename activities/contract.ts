import type {
  ChunkResult,
  CloseRunInput,
  CloseRunResult,
  CrawlChunkInput,
  DiscoverInput,
  DiscoverResult,
  EnterQuotaGateInput,
  ListInput,
  ListResult,
  LoadResult,
  ModelsResult,
  PlanDueInput,
  PollOwnerJobsInput,
  PollOwnerJobsResult,
  PublishResult,
  QuotaStatus,
} from '../schemas/pipeline/activities.js';
import type { Alert, SendAlertInput, SendAlertResult } from '../schemas/pipeline/alert.js';
import type { DuePlan } from '../schemas/pipeline/due.js';
import type { DataFolder, OpenRunInput, RebuildResult, RunContext } from '../schemas/pipeline/run.js';

/** The data folder that an activity without a run belongs to. Left out if the workflow's starter named none. */
export interface OfFolder {
  folder?: DataFolder;
}

/**
 * Activities of the queue `tidemark-crawl`: they call the API and land its answers. Any number of workers may serve the
 * queue.
 *
 * Workflows import this file, and workflow code must not use Node's modules. So this file imports only types of
 * schemas.
 */
export interface CrawlActivities {
  /**
   * Validates the input, reads the configuration, decides the logical date, and lands the record that opens the run.
   */
  openRun(input: OpenRunInput): Promise<RunContext>;
  /**
   * Runs one round of a market's search: plans, sends requests and lands the answers. Resumes from the landed answers.
   */
  discoverMarket(input: DiscoverInput): Promise<DiscoverResult>;
  /** Reads one listing to its end and lands every page. */
  crawlListing(input: ListInput): Promise<ListResult>;
  /** Fetches one chunk of due entities and lands its answers. */
  crawlChunk(input: CrawlChunkInput): Promise<ChunkResult>;
  /**
   * Polls each open enrichment job of the run once and lands the changes. Skips jobs that were polled less than the
   * configured interval ago. Takes over jobs that another run no longer polls.
   */
  pollOwnerJobs(input: PollOwnerJobsInput): Promise<PollOwnerJobsResult>;
  /**
   * Reads /v2/metrics and lands the reading.
   * @param begins true at the run's start. The activity then fails with `ClockWrong` if this machine's clock is off by
   * 5 minutes or more.
   */
  readQuota(ctx: RunContext, begins?: boolean): Promise<QuotaStatus>;
  /** Adds a run to the quota gate of its API key. Starts the gate if none runs. */
  enterQuotaGate(input: EnterQuotaGateInput): Promise<void>;
  /** Returns the names of the search attributes for a run's state that exist in the Temporal namespace. */
  listStateAttributes(): Promise<string[]>;
  /** Lands the record that closes the run, and the run's request statistics. */
  closeRun(input: CloseRunInput): Promise<CloseRunResult>;
}

/** Activities of the queue `tidemark-crawl` that find and deliver alerts. */
export interface AlertActivities {
  /** Returns the names of the targets of `notify` to which the alert is sent. */
  chooseTargets(input: { alert: Alert }): Promise<string[]>;
  /** Sends an alert to one target, unless the target got it before. */
  sendAlert(input: SendAlertInput): Promise<SendAlertResult>;
  /** Finds scheduled nights that are not published in time, and returns an alert for each. */
  findLateNights(of?: OfFolder): Promise<Alert[]>;
}

/** Activities of the queue `tidemark-warehouse`. Only one worker at a time writes the warehouse. */
export interface WarehouseActivities {
  /** Decides which entities of a stream are due and writes them as chunk files. */
  planDue(input: PlanDueInput): Promise<DuePlan>;
  /** Loads landed parts while the run still fetches others. Leaves most of the processor to the requests. */
  loadEarly(ctx: RunContext): Promise<LoadResult>;
  /** Loads the landed parts that the warehouse does not have yet. */
  loadLanding(ctx: RunContext): Promise<LoadResult>;
  /** Builds the models whose rows may have changed, and runs the audits. */
  buildModels(ctx: RunContext): Promise<ModelsResult>;
  /** Publishes the warehouse as a new build. */
  publishWarehouse(ctx: RunContext): Promise<PublishResult>;
  /** Validates the input (RebuildInput), then replays the landing zone into a warehouse and publishes it. */
  rebuildWarehouse(input: unknown, of?: OfFolder): Promise<RebuildResult>;
}

export type Activities = CrawlActivities & AlertActivities & WarehouseActivities;
