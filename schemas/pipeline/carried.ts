import type { QuotaWaiter } from './activities.js';
import type { DueSummary } from './due.js';
import type { Refusal } from './refusal.js';
import type { Coverage, Progress, RunContext } from './run.js';

/* The state that workflows carry over continue-as-new. */

/** State the quota gate carries over continue-as-new; `{}` at its start. gate-state.ts lists the transitions. */
export interface QuotaGateState {
  waiting?: QuotaWaiter[];
  /** Seconds until the next quota reading; null: `probeEverySeconds` of the run that waits first. */
  pause?: number | null;
  /**
   * Workflow id of the one run that the gate woke, to see whether the API answers. Used when the API gives no quota
   * figure.
   */
  trying?: string | null;
  /** Consecutive quota readings that the API refused. */
  refusals?: number;
}

/** Chunks that a run fetches at once, and the first chunk of the next round. */
export interface ChunkRound {
  chunks: number[];
  next: number;
}

/** What a run carries over continue-as-new: finished steps, the next chunk, counts and notes. */
export interface CarriedRun {
  ctx: RunContext;
  paused: boolean;
  concurrency: number | null;
  /** Names of finished steps. */
  completed: string[];
  /** First unfinished chunk of the current step. */
  nextChunk: number;
  /** Chunks to fetch once more, and the chunk with which to continue after them. Null or left out: there are none. */
  again?: ChunkRound | null;
  progress: Progress;
  coverage: Coverage | null;
  /** True when the run has already missed something, so that it will be partial. */
  short: boolean;
  /** True when the API gives no daily quota figure. Left out by older versions. */
  quotaUnknown?: boolean;
  /** True when the notes already say that this machine's clock is off. */
  clockNoted?: boolean;
  stopped?: boolean;
  /** Answers that the activities landed; left out when an older version began the run. */
  landed?: number;
  due?: DueSummary[];
  /** Left out by older versions. */
  refused?: Refusal[];
  notes: string[];
}
