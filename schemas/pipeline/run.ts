import { z } from 'zod';
import type { DueSummary } from './due.js';
import type { Refusal } from './refusal.js';
import { BACKFILL_STREAMS, MARKET_STREAMS, RETRY_STREAMS } from './streams.js';

/*
 * Inputs, context and results of the workflows.
 *
 * Terms:
 * - run: one execution of a workflow, from its start to its result, over continue-as-new.
 * - night: one run of a market for one date. Current night: the night that readers see.
 * - held back: a night that missed the publish thresholds; readers keep the night before.
 * - carried over: a company not searched this night, kept from an earlier night with its date.
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

// People type these inputs in the Temporal UI. Strict objects turn a misspelt key into an error.
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

/** A data folder: its identity (`folder.json`), and its host and path as seen by one process. */
export interface DataFolder {
  id: string;
  /** Absolute path on that host. */
  path: string;
  host: string;
}

/** What a workflow passes to `openRun`: the raw input, and facts that only the workflow knows. */
export interface OpenRunInput {
  workflowType: WorkflowType;
  workflowId: string;
  /** Run id of the first execution; stays the same over continue-as-new. */
  run: string;
  input: unknown;
  /** `TemporalScheduledStartTime`, ISO; left out when a person started the run. */
  scheduledTime?: string;
}

/**
 * Holds every decision that a run makes at its start. Each continue-as-new passes the context on, so keep the context
 * small. The run reads the configuration once, at its start. A later edit of tidemark.yaml does not change the run.
 */
export interface RunContext {
  run: string;
  workflowId: string;
  workflowType: WorkflowType;
  /** Logical date: the input's, else the schedule's nominal day, else today in the market's zone. */
  date: string;
  /** False for a past date. The run then fetches only records that the API selects by date, and no current state. */
  asOfNow: boolean;
  market: string | null;
  /** Sent verbatim as prospecting filters (marketSnapshot) or tender filters. */
  filters: Record<string, unknown>;
  streams: string[];
  /** Age in seconds after which a record is due again, by stream; 0: due in every run. */
  refreshSeconds: Record<string, number>;
  /** First and last day to fetch (backfill, past-dated runs). In other runs, both equal `date`. */
  from: string;
  to: string;
  /** File in `data/resolve` with the companies to identify or the people to enrich; only in runs of a list. */
  file?: string;
  /** How the run asks for owners; left out in runs without the stream `ownership`. */
  ownership?: OwnershipSettings;
  /** Data folder of the worker that opened the run. All work of the run uses this folder. Left out by older workers. */
  folder?: DataFolder;
  /** Whether a market snapshot reads the contact metrics. Left out when it does not, and by older workers. */
  contactMetrics?: boolean;
  startedAt: string;
  /**
   * Time stamp of the newest landed answer, if that time is in the future. The run gives its answers later time stamps.
   */
  stampsAfter?: string;
  configHash: string;
  probeEverySeconds: number;
  /** `api.maxConcurrency` of the worker that opened the run. Left out by older workers. */
  maxConcurrency?: number;
  /** Number of history events after which the run continues as new. Left out: the default of the workflows. */
  eventsPerRun?: number;
  /** Number of records in a chunk. Left out: the default of the workflows. */
  chunkSize?: number;
  /** Share of the daily quota that the run leaves to other runs (docs/configuration.md, `quota.reserve`). */
  leavesQuota?: number;
  /** Publish thresholds of the market; null for runs without any. */
  gate: PublishThresholds | null;
  /** Why the run fetches less than its workflow usually does, for people; null when it fetches all. */
  note: string | null;
}

/** How a run asks for beneficial owners (docs/configuration.md, `ownership`). */
export interface OwnershipSettings {
  /** Smallest shares to ask for, in percent, ascending. Each is one request per company. */
  thresholds: number[];
  /** Name of the threshold's parameter, and whether it is sent in percent (25) or as a share (0.25). */
  parameter: string;
  unit: 'percent' | 'share';
  /** Whether a snapshot starts enrichment jobs for answers that are not conclusive. */
  enrich: boolean;
  /** Seconds between two polls of a job, and after which a job counts as never ending. */
  pollEvery: number;
  giveUpAfter: number;
}

/**
 * Publish thresholds (docs/configuration.md, `minCoverage`, `maxDrop`): an incomplete night must not replace a complete
 * one.
 */
export interface PublishThresholds {
  /** Smallest share of the reported companies, 0 to 1, that a night must have to become current. */
  minCoverage: number;
  /** Largest share of the current night's companies, 0 to 1, that a new night may lack and still become current. */
  maxDrop: number;
  /** The night that is current when the run begins. `comparable`: it used the same filters. */
  current: { date: string; companies: number; comparable: boolean } | null;
}

/** How much of a market the run's own searches found. */
export interface Coverage {
  reportedTotal: number;
  distinctCompanies: number;
  missing: number;
  share: number;
  /** Number of companies carried over, and the date of the oldest answer among them. Left out when there are none. */
  carried?: { companies: number; since: string };
  /** Missing companies that later nights search for; left out when there are none. */
  postponed?: number;
  /** Missing companies in segments that changed while they were read; left out when there are none. */
  moved?: number;
}

/** The result of every top-level workflow, as the UI and the CLI show it. */
export interface RunResult {
  run: string;
  date: string;
  market: string | null;
  asOfNow: boolean;
  /** stopped: an operator stopped the run before its end; the market keeps its current night. */
  outcome: 'complete' | 'partial' | 'stopped';
  /** True when more companies are missing than moved companies can explain. */
  incomplete: boolean;
  /** Why the market does not become current; null when it does, or the run has no market. */
  heldBack: string | null;
  /** Requests sent, retries included. */
  requests: number;
  /** Requests forecast at the start; null for runs without a forecast. */
  forecast: number | null;
  /** Answers landed. */
  rows: number;
  rejects: number;
  coverage: Coverage | null;
  due: DueSummary[];
  /** Routes that the API refuses to the key, because permissions are missing. Left out in results of older workers. */
  refused?: Refusal[];
  /** Schema drift, for people, at most five items; ops.drift has all. */
  drift?: string[];
  /** Path of the published file, relative to `folder`; null when the run had nothing to do. */
  published: string | null;
  /** Data folder of the run's workers. Left out in results of older workers. */
  folder?: DataFolder;
  notes: string[];
}

/** Answer to the `progress` query of every top-level workflow. workflows/run/run.ts lists the phases' transitions. */
export interface Progress {
  phase:
    | 'opening'
    | 'planning'
    | 'crawling'
    | 'waiting-for-quota'
    | 'paused'
    | 'stopping'
    | 'loading'
    | 'modelling'
    | 'publishing'
    | 'done';
  date: string | null;
  market: string | null;
  steps: ProgressStep[];
  requests: number;
  startedAt: string | null;
  /** Data folder of the run; left out until known. */
  folder?: DataFolder;
  notes: string[];
}

/** One line of the progress table: a step and its progress. `total` is null while unknown. */
export interface ProgressStep {
  name: string;
  done: number;
  total: number | null;
  state: 'waiting' | 'running' | 'done';
  /** Why `total` is this number, for people. */
  about?: string;
}

/** Input of the workflow `rebuildWarehouse`: first and last landing date, both included. Left out: no limit. */
export const RebuildInput = z
  .strictObject({ from: IsoDate.optional(), to: IsoDate.optional() })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, '`from` is later than `to`');

/** Result of the workflow `rebuildWarehouse`. */
export interface RebuildResult {
  parts: number;
  rows: number;
  rejects: number;
  failedAudits: string[];
  /** Notes on the models built, for people. Left out in results of older workers. */
  notes?: string[];
  /** Landed parts that could not be read, for people. */
  faults: string[];
  /** Folder of the new warehouse, relative to the data folder; '' for the warehouse in use. */
  into: string;
  /** Path of the published file, relative to `into`. */
  published: string;
  /** Data folder of the worker. Left out in results of older workers. */
  folder?: DataFolder;
}
