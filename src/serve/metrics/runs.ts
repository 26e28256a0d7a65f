import type { Collector } from './collectors.js';
import { newGauge, type MetricsRegistry } from './registry.js';

/** All values of the label `outcome`. */
export const OUTCOMES = ['complete', 'partial', 'stopped', 'failed', 'cancelled', 'terminated', 'timed_out'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** How a run ended. */
export interface FinishedRun {
  workflowType: string;
  /** Empty for runs without a market. */
  market: string;
  outcome: string;
  heldBack: boolean;
  /** Unix time in seconds. */
  finishedAt: number;
  seconds: number;
}

/** A run that has not ended. */
export interface OpenRun {
  workflowType: string;
  /** Empty for runs without a market. */
  market: string;
  /** What the run does, as in `Progress.phase`; `unknown` if Temporal does not say. */
  phase: string;
}

/** Input of `addRunMetrics`. */
export interface RunMetricsOptions {
  /** Names of the configured markets. Runs of other markets are left out. */
  markets: readonly string[];
  /** The last runs that Temporal knows. Temporal forgets runs after the retention time of the namespace. */
  fromTemporal: () => Promise<FinishedRun[]>;
  /** The last runs in the published warehouse. */
  fromWarehouse: () => Promise<FinishedRun[]>;
  /** The runs that have not ended. */
  open: () => Promise<OpenRun[]>;
}

/** Adds the metrics of the open runs, and of the last finished run of each workflow type and market. */
export function addRunMetrics(registry: MetricsRegistry, options: RunMetricsOptions): Collector {
  const labels = ['workflow_type', 'market'] as const;
  const outcome = newGauge(
    registry,
    'tidemark_run_outcome',
    'How the last finished run ended: 1 for its outcome, 0 for the others.',
    [...labels, 'outcome'],
  );
  const heldBack = newGauge(
    registry,
    'tidemark_run_held_back',
    'Whether the last finished run was held back: it missed the publish thresholds, so readers still see the night before.',
    labels,
  );
  const duration = newGauge(
    registry,
    'tidemark_run_duration_seconds',
    'Time from the start to the end of the last finished run.',
    labels,
  );
  const finished = newGauge(
    registry,
    'tidemark_run_finished_timestamp_seconds',
    'When the last finished run ended, as Unix time.',
    labels,
  );
  const openRuns = newGauge(registry, 'tidemark_runs_open', 'Runs that have not ended, by phase.', [
    'workflow_type',
    'market',
    'phase',
  ]);
  const isConfigured = ({ market }: { market: string }): boolean => market === '' || options.markets.includes(market);
  const collect = async (): Promise<void> => {
    const [known, published, open] = await Promise.all([
      options.fromTemporal(),
      options.fromWarehouse(),
      options.open(),
    ]);
    for (const gauge of [outcome, heldBack, duration, finished, openRuns]) gauge.reset();
    for (const { workflowType, market, phase } of open.filter(isConfigured))
      openRuns.inc({ workflow_type: workflowType, market, phase });
    for (const run of lastRuns(known, published).filter(isConfigured)) {
      const which = { workflow_type: run.workflowType, market: run.market };
      for (const one of OUTCOMES) outcome.set({ ...which, outcome: one }, run.outcome === one ? 1 : 0);
      heldBack.set(which, run.heldBack ? 1 : 0);
      duration.set(which, run.seconds);
      finished.set(which, run.finishedAt);
    }
  };
  return { name: 'runs', collect };
}

/**
 * Returns the last run of each workflow type and market. Prefers a run that Temporal knows (`known`), because it is
 * later than all runs that Temporal has forgotten. Pure function.
 */
export function lastRuns(known: readonly FinishedRun[], published: readonly FinishedRun[]): FinishedRun[] {
  const last = new Map<string, FinishedRun>();
  for (const runs of [published, known]) {
    const latest = new Map<string, FinishedRun>();
    for (const run of runs.toSorted((a, b) => a.finishedAt - b.finishedAt))
      latest.set(`${run.workflowType} ${run.market}`, run);
    for (const [key, run] of latest) last.set(key, run);
  }
  return [...last.values()];
}
