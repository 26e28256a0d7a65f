import type { Progress, ProgressStep, TableProgress } from '../../../schemas/pipeline/run.js';

/** Progress from the last heartbeat of a running activity. */
export interface Beat {
  /** Activity type. */
  activity: string;
  step: string;
  done: number;
  total: number | null;
  requests: number;
  /** Name of the table on which the activity works; left out by all other activities. */
  table?: string;
}

/** A failed activity that waits for its next attempt. `attempt` is the number of the failed attempt. */
export interface Retry {
  activity: string;
  attempt: number;
  message: string;
}

/** One observation of a running workflow. */
export interface Observation {
  /** Answer to the `progress` query; null when no worker answered. */
  progress: Progress | null;
  beats: readonly Beat[];
  retries: readonly Retry[];
  /** How `limit` answers slow down workers of the run, from their heartbeats. */
  slowed: readonly string[];
  /** False when no worker polls the run's task queue. The run then waits until a worker starts. */
  workers: boolean;
}

/** A step of the run with its measured speed. */
export interface StepState extends ProgressStep {
  /** Records per second over the last 10 s; null when the rate is unknown. */
  rate: number | null;
  samples: readonly { at: number; done: number }[];
}

/** State of a followed run, for the progress views. */
export interface RunState {
  phase: Progress['phase'];
  date: string | null;
  market: string | null;
  steps: readonly StepState[];
  requests: number;
  /** Why the run waits and when the wait probably ends (ISO); null while unknown. */
  waiting: Progress['waiting'] | null;
  /** Table that the run builds or publishes now; null in all other phases. */
  table: TableProgress | null;
  notes: readonly string[];
  retries: readonly Retry[];
  /** How `limit` answers slow down workers of the run. */
  slowed: readonly string[];
  workers: boolean;
  /** Milliseconds since the run started. */
  elapsed: number;
}

/** Shows a followed run. After `done`, the last state remains on the screen. */
export interface ProgressView {
  show(state: RunState): void;
  done(): void;
}

const RATE_WINDOW_MS = 10_000;
const WAITS: ReadonlySet<Progress['phase']> = new Set(['waiting-for-quota', 'paused']);

/**
 * Computes the next state of a followed run. Finished work comes from the workflow, unfinished work from heartbeats.
 * Between the end of a chunk and the next workflow task, both lack this chunk. So each step keeps the larger of its old
 * and its new count.
 * @param at milliseconds on the clock of this process
 * @param startedAt start of the run, in milliseconds on the same clock
 */
export function advance(previous: RunState | null, seen: Observation, at: number, startedAt: number): RunState {
  const progress = seen.progress;
  const known: readonly ProgressStep[] = progress?.steps ?? previous?.steps ?? [];
  const steps = known.map((step) =>
    advanceStep(
      step,
      previous?.steps.find((p) => p.name === step.name),
      seen.beats,
      { at, waits: WAITS.has(progress?.phase ?? 'opening') },
    ),
  );
  const inFlight = seen.beats.reduce((sum, beat) => sum + beat.requests, 0);
  const counted = (progress?.requests ?? 0) + inFlight;
  return {
    phase: progress?.phase ?? previous?.phase ?? 'opening',
    date: progress?.date ?? previous?.date ?? null,
    market: progress?.market ?? previous?.market ?? null,
    steps,
    requests: progress?.phase === 'done' ? progress.requests : Math.max(counted, previous?.requests ?? 0),
    waiting: progress?.waiting ?? null,
    table: tableOf(seen.beats) ?? progress?.table ?? null,
    notes: progress?.notes ?? previous?.notes ?? [],
    retries: seen.retries,
    slowed: seen.slowed,
    workers: seen.workers,
    elapsed: Math.max(0, at - startedAt),
  };
}

/** Returns the table in the heartbeats, which are newer than the workflow's progress. */
function tableOf(beats: readonly Beat[]): TableProgress | undefined {
  const beat = beats.find(({ table }) => table !== undefined);
  return beat?.table === undefined ? undefined : { name: beat.table, done: beat.done, total: beat.total ?? 0 };
}

function advanceStep(
  step: ProgressStep,
  before: StepState | undefined,
  beats: readonly Beat[],
  { at, waits }: { at: number; waits: boolean },
): StepState {
  const mine = step.state === 'done' ? [] : beats.filter((beat) => beat.step.replaceAll('_', ' ') === step.name);
  // A heartbeat of a chunk counts only the records of this chunk. A heartbeat of a search or listing counts all records
  // so far.
  const parts = mine.filter((beat) => beat.activity === 'crawlChunk').reduce((sum, beat) => sum + beat.done, 0);
  const whole = mine.filter((beat) => beat.activity !== 'crawlChunk');
  const reached = Math.max(step.done + parts, ...whole.map((beat) => beat.done));
  const total = step.total ?? whole.find((beat) => beat.total !== null)?.total ?? before?.total ?? null;
  const most = step.state === 'done' ? step.done : Math.max(reached, before?.done ?? 0);
  const done = total === null ? most : Math.min(most, Math.max(total, step.done));
  // A waiting run has no speed. The measurement begins again after the wait.
  const earlier = waits ? [] : (before?.samples ?? []).filter((s) => at - s.at <= RATE_WINDOW_MS);
  const samples = [...earlier, { at, done }];
  return { ...step, done, total, samples, rate: rateOf(samples, total) };
}

function rateOf(samples: readonly { at: number; done: number }[], total: number | null): number | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (!first || !last || last.at - first.at < 1_000) return null;
  // Show no rate before 1/500 of the total is done. The first answers are slow, so the estimated remaining time would
  // be far too long.
  const gained = last.done - first.done;
  return gained >= Math.max(1, (total ?? 0) / 500) ? (gained * 1_000) / (last.at - first.at) : null;
}

/** Returns the milliseconds until a step is done at its current rate; null when the total or the rate is unknown. */
export function remainingMs(step: StepState): number | null {
  if (step.total === null || step.rate === null || step.state === 'done') return null;
  return (Math.max(0, step.total - step.done) / step.rate) * 1_000;
}
