import { z } from 'zod';
import type { DuePlan } from './crawl.js';

/** A calendar day, `YYYY-MM-DD`, that exists (2026-02-30 does not). */
export const IsoDate = z.iso.date();

/** Streams a market snapshot can hold (CONTRACT, `markets[].streams`). */
export const MarketStream = z.enum(['companies', 'financials', 'financials_v1']);
export type MarketStream = z.infer<typeof MarketStream>;

/** Streams a backfill can address by date. */
export const BackfillStream = z.enum(['tenders', 'watch_events', 'financials', 'financials_v1']);
export type BackfillStream = z.infer<typeof BackfillStream>;

// Inputs are typed by people in the Temporal UI: strict, so that a misspelt key is an error and not a silent default.
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

/** Streams whose records can be asked for again one by one. */
export const RetryStream = z.enum(['companies', 'financials', 'financials_v1', 'tender_details']);
export type RetryStream = z.infer<typeof RetryStream>;

export const RetryRejectsInput = z.strictObject({
  streams: z.array(RetryStream).min(1).optional(),
  market: z.string().min(1).optional(),
});
export type RetryRejectsInput = z.infer<typeof RetryRejectsInput>;

export const WorkflowType = z.enum([
  'marketSnapshot',
  'tenderSnapshot',
  'watchSync',
  'backfill',
  'retryRejects',
  'resolveCompanies',
]);
export type WorkflowType = z.infer<typeof WorkflowType>;

/** A data folder: its identity (`folder.json`), and where the process that names it sees it. */
export interface DataFolder {
  id: string;
  /** Absolute path on that host. */
  path: string;
  host: string;
}

/** What a workflow hands to `openRun`: the raw input and what only the workflow knows about itself. */
export interface OpenRunInput {
  workflowType: WorkflowType;
  workflowId: string;
  /** First execution's run id: it stays the same over continue-as-new. */
  run: string;
  input: unknown;
  /** `TemporalScheduledStartTime`, ISO; undefined when a person started the run. */
  scheduledTime?: string;
}

/**
 * Everything a run decided at its start; small, carried through continue-as-new. The configuration is read once,
 * here, so that an edit of tidemark.yaml in the middle of a night cannot make half a run different.
 */
export interface RunContext {
  run: string;
  workflowId: string;
  workflowType: WorkflowType;
  /** Logical date: explicit input, else the schedule's nominal day, else today in the market's zone. */
  date: string;
  /** False for a past date: then only date-addressable work is done and nothing "as of now" is filed under `date`. */
  asOfNow: boolean;
  market: string | null;
  /** Sent verbatim as prospecting filters (marketSnapshot) or tender filters. */
  filters: Record<string, unknown>;
  streams: string[];
  /** How old a record may get before it is due again, in seconds, by stream; 0: every run. */
  refreshSeconds: Record<string, number>;
  /** First and last day for date-addressed work (backfill, past-dated runs); both equal `date` otherwise. */
  from: string;
  to: string;
  /** File in `data/resolve` whose rows are looked for; only resolveCompanies has one. */
  file?: string;
  /** Data folder of the worker that opened the run: all its work is done there. Missing in runs of older workers. */
  folder?: DataFolder;
  startedAt: string;
  /** Stamp of the newest answer landed before, where that lies in the future: what the run observes is stamped later. */
  stampsAfter?: string;
  configHash: string;
  probeEverySeconds: number;
  /** `api.maxConcurrency` of the worker that opened it. Left out by older workers. */
  maxConcurrency?: number;
  /** History events after which the run continues as new, and entities per chunk; left out: the defaults. */
  eventsPerRun?: number;
  chunkSize?: number;
  /** Share of the daily quota that it leaves to others (docs/configuration.md, `quota.reserve`). */
  leavesQuota?: number;
  /** What the run must reach for its market to become current; null for runs without one. */
  gate: CoverageGate | null;
  /** Set when the run will do less than its name says, in words a person understands. */
  note: string | null;
}

/** What keeps a half-read market from replacing a whole one (docs/configuration.md, `minCoverage`, `maxDrop`). */
export interface CoverageGate {
  /** Share of the companies the API reports, 0 to 1. */
  minCoverage: number;
  /** Share by which there may be fewer companies than in the night that is current, 0 to 1. */
  maxDrop: number;
  /** The night that is current when the run begins; `comparable`: found with the same filters. */
  current: { date: string; companies: number; comparable: boolean } | null;
}

/** How much of a market a run reached: only what its own searches found. */
export interface Coverage {
  reportedTotal: number;
  distinctCompanies: number;
  missing: number;
  share: number;
  /** Members of earlier nights that it did not ask for, and the earliest night that found one last; left out when none. */
  carried?: { companies: number; since: string };
  /** Of those missing, how many lie where the search was left to later nights; left out when none. */
  postponed?: number;
  /** Of those missing, how many are in segments that changed while they were read; left out when none. */
  moved?: number;
}

/** What was due of a stream, and why. */
export type DueSummary = Pick<DuePlan, 'stream' | 'known' | 'due' | 'reasons'>;

/** A route that the API refuses to the key: the run goes on without it. Names are as the API gives them. */
export interface Refusal {
  /** Landing stream that is not read, wholly or from here on. */
  stream: string;
  /** For example `GET /v2/financial/{id}`. */
  endpoint: string;
  /** What the key lacks; null where the API does not name it. */
  permission: string | null;
  module: string | null;
  app: string | null;
  /** The API's `error_guard`; null where the answer has none. */
  guard: string | null;
  /** The API's own words, at most 300 characters. */
  message: string;
}

/** The result of every top-level workflow, as the UI and the CLI show it. */
export interface RunResult {
  run: string;
  date: string;
  market: string | null;
  asOfNow: boolean;
  /** stopped: by an operator, before it was done; its market stays as it was. */
  outcome: 'complete' | 'partial' | 'stopped';
  /** True when a part of the market could not be reached, and not just because it moved while it was read. */
  incomplete: boolean;
  /** Why the market does not become current; null when it does, or there is none. */
  heldBack: string | null;
  /** Requests sent, retries included. */
  requests: number;
  /** Requests it expected to send when it began; null for runs that made no forecast. */
  forecast: number | null;
  /** Responses landed. */
  rows: number;
  rejects: number;
  coverage: Coverage | null;
  due: DueSummary[];
  /** What the API refuses to the key: permissions that are missing. Left out in results of older workers. */
  refused?: Refusal[];
  /** Where the API's answers differ from its reference, in words, at most five; ops.drift has all. */
  drift?: string[];
  /** Path of the published file, relative to `folder`; null where the run had nothing to do. */
  published: string | null;
  /** Data folder of the workers that did it. Missing in results of older workers. */
  folder?: DataFolder;
  notes: string[];
}

/** `progress` query of every top-level workflow. */
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
  /** Data folder in which the run is done; left out until it is known. */
  folder?: DataFolder;
  notes: string[];
}

/** One line of the progress table: a stream and how far it is. `total` is null while unknown. */
export interface ProgressStep {
  name: string;
  done: number;
  total: number | null;
  state: 'waiting' | 'running' | 'done';
  /** What its total is made of, in words. */
  about?: string;
}

/** Input of the workflow `rebuildWarehouse`: first and last landing date; left out: all of them. */
export const RebuildInput = z
  .strictObject({ from: IsoDate.optional(), to: IsoDate.optional() })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, '`from` lies after `to`');

export interface RebuildResult {
  parts: number;
  rows: number;
  rejects: number;
  failedAudits: string[];
  /** What a person should know of the models that were built. Left out in results of older workers. */
  notes?: string[];
  /** Landed parts that could not be read, in words. */
  faults: string[];
  /** Folder of the warehouse that was made, relative to the data folder; '' for the one in use. */
  into: string;
  /** Path of the published file, relative to `into`. */
  published: string;
  /** Data folder of the worker that did it. Missing in results of older workers. */
  folder?: DataFolder;
}
