import { z } from 'zod';
import type { AlertSettings } from './cause.js';
import type { DueSummary } from './due.js';
import type { StatedReason } from './reason.js';
import type { Refusal } from './refusal.js';
import { BACKFILL_STREAMS, MARKET_STREAMS, RETRY_STREAMS } from '../streams/streams.js';

/*
 * Inputs, context and results of the workflows.
 *
 * Terms:
 * - run: one execution of a workflow from its start to its result. A run continues over continue-as-new.
 * - night: one run of a market for one date. Current night: the night that readers see.
 * - held back: a night that missed the publish thresholds; readers still see the night before.
 *
 * Fields "for people" hold sentences that the UI and the CLI show.
 */

/** A calendar day, `YYYY-MM-DD`, that exists (2026-02-30 does not). */
export const IsoDate = z.iso.date();

export const MarketStream = z.enum(MARKET_STREAMS);
export type MarketStream = z.infer<typeof MarketStream>;

export const BackfillStream = z.enum(BACKFILL_STREAMS);
export type BackfillStream = z.infer<typeof BackfillStream>;

export const RetryStream = z.enum(RETRY_STREAMS);
export type RetryStream = z.infer<typeof RetryStream>;

// People type these inputs in the Temporal UI. Strict objects report a misspelt key as an error.
export const MarketSnapshotInput = z.strictObject({ market: z.string().min(1).optional(), date: IsoDate.optional() });
export type MarketSnapshotInput = z.infer<typeof MarketSnapshotInput>;

export const TenderSnapshotInput = z.strictObject({ date: IsoDate.optional() });
export type TenderSnapshotInput = z.infer<typeof TenderSnapshotInput>;

export const WatchSyncInput = z.strictObject({ date: IsoDate.optional() });
export type WatchSyncInput = z.infer<typeof WatchSyncInput>;

export const BackfillInput = z.strictObject({
  from: IsoDate,
  to: IsoDate,
  streams: z.array(BackfillStream).min(1).optional(),
  market: z.string().min(1).optional(),
});
export type BackfillInput = z.infer<typeof BackfillInput>;

export const RetryRejectsInput = z.strictObject({
  streams: z.array(RetryStream).min(1).optional(),
  market: z.string().min(1).optional(),
});
export type RetryRejectsInput = z.infer<typeof RetryRejectsInput>;

export const EnrichOwnersInput = z.strictObject({ market: z.string().min(1).optional(), date: IsoDate.optional() });
export type EnrichOwnersInput = z.infer<typeof EnrichOwnersInput>;

export const WorkflowType = z.enum([
  'marketSnapshot',
  'tenderSnapshot',
  'watchSync',
  'backfill',
  'retryRejects',
  'resolveCompanies',
  'enrichPeople',
  'checkPayees',
  'enrichOwners',
]);
export type WorkflowType = z.infer<typeof WorkflowType>;

/** A data folder: its identity (`folder.json`), and the host and path at which one process sees it. */
export interface DataFolder {
  id: string;
  /** Absolute path on `host`. */
  path: string;
  host: string;
}

/** Input of `openRun`: the workflow's own input as given, and facts that only the workflow knows. */
export interface OpenRunInput {
  workflowType: WorkflowType;
  workflowId: string;
  /** Run id of the workflow's first execution. It stays the same over continue-as-new. */
  run: string;
  input: unknown;
  /** `TemporalScheduledStartTime`, ISO; left out when no schedule started the run. */
  scheduledTime?: string;
  /** Data folder of the command or schedule that started the run. Left out if another program started it. */
  folder?: DataFolder;
}

/**
 * Every decision that a run makes at its start. The run reads the configuration only then, so a later edit of
 * tidemark.yaml does not change the run. Each continue-as-new passes the context on, so keep the context small.
 */
export interface RunContext {
  run: string;
  workflowId: string;
  workflowType: WorkflowType;
  /**
   * Logical date: the date in the input, else the day for which the schedule planned the run, else today in the
   * market's time zone.
   */
  date: string;
  /**
   * False for a past date, and always in `backfill`, `retryRejects` and `enrichOwners`. A night of a past date fetches
   * only records that the API can select by date.
   */
  asOfNow: boolean;
  market: string | null;
  /** Filters that the search sends unchanged: prospecting filters (marketSnapshot) or tender filters. */
  filters: Record<string, unknown>;
  streams: string[];
  /** By stream: age in seconds after which a record is due again. 0: due in every run. */
  refreshSeconds: Record<string, number>;
  /**
   * First and last day to fetch in a backfill, for a past date, and in `watchSync`: the days since the last sync. In
   * all other runs, both equal `date`.
   */
  from: string;
  to: string;
  /**
   * Name of the file in `data/resolve` with the companies to identify or the people to enrich, or in `data/payees` with
   * the payees to check. Set only in runs of a list.
   */
  file?: string;
  /** How the run asks for owners; left out in runs without the stream `ownership`. */
  ownership?: OwnershipSettings;
  /** Data folder of the worker that opened the run. All work of the run uses this folder. */
  folder: DataFolder;
  startedAt: string;
  /** Time of the newest landed answer, if that time is in the future. The run then gives its answers later times. */
  stampsAfter?: string;
  configHash: string;
  /** Hash of the configuration file, without overrides from the environment. */
  fileHash: string;
  probeEverySeconds: number;
  /** `api.maxConcurrency` of the worker that opened the run. */
  maxConcurrency: number;
  /** Names of the search attributes for the run's state that the Temporal namespace has. */
  stateAttributes: string[];
  /** Number of history events after which the run continues as new. Left out: the default of the workflows. */
  eventsPerRun?: number;
  /** Number of crawl workers when the run was opened. */
  workers: number;
  /** Number of records in a chunk. Left out: the default of the workflows. */
  chunkSize?: number;
  /** Share of the daily quota that the run leaves to other runs (docs/configuration.md, `quota.reserve`). */
  leavesQuota: number;
  /** Which alerts the run sends. Left out when `notify` names no target. */
  alerts?: AlertSettings;
  /** Publish thresholds of the market; null for runs without any. */
  gate: PublishThresholds | null;
  /**
   * Why the run fetches less than its workflow usually does, and remarks about the worker, for people; null when there
   * is nothing to say.
   */
  note: string | null;
}

/** Settings of the requests for beneficial owners (docs/configuration.md, `ownership`). */
export interface OwnershipSettings {
  /**
   * Thresholds to request: smallest share of an owner, in percent, ascending. Each threshold costs one request per
   * company.
   */
  thresholds: number[];
  /** Name of the request parameter for the threshold. `unit` tells whether 25 percent is sent as 25 or as 0.25. */
  parameter: string;
  unit: 'percent' | 'share';
  /** Whether a snapshot starts an enrichment job when an answer is not conclusive. */
  enrich: boolean;
}

/**
 * Publish thresholds (docs/configuration.md, `minCoverage`, `maxDrop`). They prevent an incomplete night from replacing
 * a complete one.
 */
export interface PublishThresholds {
  /** A night becomes current only if it found at least this share (0 to 1) of the reported companies. */
  minCoverage: number;
  /** A night becomes current only if it lacks at most this share (0 to 1) of the current night's companies. */
  maxDrop: number;
  /** The night that is current when the run begins. `comparable` is true if that night used the same filters. */
  current: { date: string; companies: number; comparable: boolean } | null;
}

/** How much of a market the run's own searches found. */
export interface Coverage {
  reportedTotal: number;
  distinctCompanies: number;
  missing: number;
  /** distinctCompanies ÷ reportedTotal. Null: unknown, because the API caps its total or contradicts it. */
  share: number | null;
  /** Number of missing companies in segments that changed while they were read; left out when there are none. */
  moved?: number;
}

/** The result of every workflow with a `WorkflowType`, as the UI and the CLI show it. */
export interface RunResult {
  run: string;
  date: string;
  market: string | null;
  asOfNow: boolean;
  /** `stopped`: an operator stopped the run before its end. The market then keeps its current night. */
  outcome: 'complete' | 'partial' | 'stopped';
  /** True when more companies are missing than companies that moved during the search can explain. */
  incomplete: boolean;
  /** Why the thresholds hold the market's night back; null when they do not, or the run has no market. */
  heldBack: string | null;
  /** Requests sent, retries included. */
  requests: number;
  /** Number of requests in the forecast at the start; null for runs without a forecast. */
  forecast: number | null;
  /** Number of landed answers. */
  rows: number;
  rejects: number;
  coverage: Coverage | null;
  due: DueSummary[];
  /** Routes that the API refuses to this API key, because permissions are missing. */
  refused: Refusal[];
  /** Schema drift, for people: at most five items. ops.drift has all items. */
  drift: string[];
  /** Why the run is not complete; empty if it is. `notes` has the sentences, too. */
  why: StatedReason[];
  /** Path of the published file, relative to `folder`; null when the run had nothing to do. */
  published: string | null;
  /** Data folder of the run's workers. */
  folder: DataFolder;
  notes: string[];
}

/**
 * Answer to the `progress` query of every workflow with a `WorkflowType`. workflows/run/run.ts lists the transitions
 * between phases.
 */
export interface Progress {
  phase:
    | 'opening'
    | 'crawling'
    | 'waiting-for-quota'
    | 'paused'
    | 'stopping'
    | 'loading'
    | 'modelling'
    | 'publishing'
    | 'done';
  /** Left out while the run is open. */
  outcome?: RunResult['outcome'] | 'failed' | 'cancelled';
  /** Why the run waits for quota, for people; left out while it does not wait. */
  waiting?: string;
  /** Why the run is not complete, for people; left out while no reason is known. `notes` has these sentences, too. */
  why?: string[];
  /** Rejects of the run; left out until its answers are loaded. */
  rejects?: number;
  date: string | null;
  market: string | null;
  steps: ProgressStep[];
  requests: number;
  startedAt: string | null;
  /** Table that the run builds or publishes now; left out in all other phases. May be some seconds old. */
  table?: TableProgress;
  /** Data folder of the run; left out until known. */
  folder?: DataFolder;
  /** `fileHash` of the run's context. Left out until known. */
  fileHash?: string;
  notes: string[];
}

/** A table, and how many tables of the same phase come before it. */
export interface TableProgress {
  name: string;
  done: number;
  total: number;
}

/** One step of a run, shown as one line of the progress table. `total` is null while unknown. */
export interface ProgressStep {
  name: string;
  done: number;
  total: number | null;
  state: 'running' | 'done';
  /** Explains the number in `total`, for people. */
  about?: string;
  /** Milliseconds of work so far, without waits and pauses. */
  workedMs: number;
  /** True when the step mostly waits for the API. Its end cannot be forecast from its speed so far. */
  untimed?: boolean;
}

/**
 * Input of the workflow `rebuildWarehouse`: first and last landing date, both included. A date left out means no limit.
 */
export const RebuildInput = z
  .strictObject({
    from: IsoDate.optional(),
    to: IsoDate.optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, '`from` is later than `to`');
export type RebuildInput = z.input<typeof RebuildInput>;

/** Result of the workflow `rebuildWarehouse`. */
export interface RebuildResult {
  parts: number;
  rows: number;
  rejects: number;
  failedAudits: string[];
  /** Notes on the built models, for people. */
  notes: string[];
  /** Landed parts that could not be read, for people. */
  faults: string[];
  /** Folder of the new warehouse, relative to the data folder; '' for the warehouse in use. */
  into: string;
  /** Path of the published file, relative to `into`. */
  published: string;
  /** Data folder of the worker. */
  folder: DataFolder;
}
