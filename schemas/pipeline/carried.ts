import type { QuotaWaiter } from './activities.js';
import type { DueSummary } from './due.js';
import type { StatedReason } from './reason.js';
import type { Refusal } from './refusal.js';
import type { Coverage, Progress, RunContext } from './run.js';

/* The state that workflows carry over continue-as-new. */

/** State that the quota gate carries over continue-as-new. gate-state.ts lists the transitions. */
export interface QuotaGateState {
  waiting: QuotaWaiter[];
  /** Seconds until the next quota reading. Null: `probeEverySeconds` of the run that goes first. */
  pause: number | null;
  /**
   * Workflow id of a run that the gate woke to find out whether the API answers again. The gate does this when the API
   * gives no quota figure.
   */
  trying: string | null;
  /** Number of consecutive quota readings that failed although a retry would not help, such as refused ones. */
  refusals: number;
}

/** Chunks that a run fetches at the same time, and the first chunk after them. */
export interface ChunkRound {
  chunks: number[];
  next: number;
}

/** State that a run carries over continue-as-new: finished steps, the next chunk, counts and notes. */
export interface CarriedRun {
  ctx: RunContext;
  paused: boolean;
  concurrency: number | null;
  /** Number of crawl workers, as counted last. */
  workers: number;
  /** Names of finished steps. */
  completed: string[];
  /** First unfinished chunk of the current step. */
  nextChunk: number;
  /** Chunks to fetch once more, and the chunk with which the run then continues. Null: nothing to repeat. */
  again: ChunkRound | null;
  progress: Progress;
  coverage: Coverage | null;
  /** True when the run has a gap. Its outcome will then be `partial`. */
  short: boolean;
  /** True when the API gives no daily quota figure. */
  quotaUnknown: boolean;
  /** True when the notes already say that this machine's clock is wrong. */
  clockNoted: boolean;
  /** Milliseconds that the run has waited for quota, and whether it sent an alert. */
  waitedMs: number;
  waitAlerted: boolean;
  stopped: boolean;
  /** Number of answers that the activities landed. */
  landed: number;
  due: DueSummary[];
  /** Routes that the API refuses to this API key. */
  refused: Refusal[];
  /** Why the run is not complete. */
  why: StatedReason[];
  /** Number of failed records by stream and chunk. */
  failed: Record<string, number>;
  notes: string[];
  /** What loads found; left out while they found nothing. */
  loadWarnings?: LoadWarnings;
}

/** Sentences about landed parts, and about schema drift that could not be looked for. */
export interface LoadWarnings {
  parts: string[];
  drift: string[];
}
