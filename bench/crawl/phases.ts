import type { WorkflowHandle } from '@temporalio/client';
import { readHistory } from './history.js';
import type { Sample } from './process-meter.js';

/**
 * The phases of a nightly run, in their order. `crawl and load`: landed answers are loaded while others are fetched.
 * `other`: no activity is running.
 */
export const PHASES = ['search', 'plan', 'crawl', 'crawl and load', 'load', 'models', 'publish', 'other'] as const;
export type Phase = (typeof PHASES)[number];

/** Activities of each phase. If two phases overlap, the one that is named first counts, except `crawl and load`. */
const PHASE_OF: Readonly<Record<string, Phase>> = {
  crawlChunk: 'crawl',
  loadEarly: 'load',
  loadLanding: 'load',
  buildModels: 'models',
  publishWarehouse: 'publish',
  planDue: 'plan',
  discoverMarket: 'search',
  crawlListing: 'search',
};

/** An activity of a run: its phase, its start and its end in milliseconds since 1970. */
export interface Step {
  phase: Phase;
  from: number;
  to: number;
}

/** CPU seconds, seconds and peak memory of a phase. */
export interface PhaseCost {
  seconds: number;
  cpu: number;
  mainCpu: number;
  mib: number;
}

/** Reads from a workflow's history when each activity ran. */
export async function readSteps(handle: WorkflowHandle): Promise<Step[]> {
  const { events } = await handle.fetchHistory();
  return readHistory(events ?? []).activities.flatMap(({ name, started: from, ended: to }) => {
    const phase = PHASE_OF[name];
    return phase === undefined ? [] : [{ phase, from, to }];
  });
}

/** Divides the CPU time between two samples among the phases that were running. */
export function costOfPhases(samples: readonly Sample[], steps: readonly Step[]): Record<Phase, PhaseCost> {
  const costs = Object.fromEntries(
    PHASES.map((phase): [Phase, PhaseCost] => [phase, { seconds: 0, cpu: 0, mainCpu: 0, mib: 0 }]),
  ) as Record<Phase, PhaseCost>;
  const order = [...new Set(Object.values(PHASE_OF))];
  for (const [index, sample] of samples.entries()) {
    const before = samples[index - 1];
    if (before === undefined) continue;
    const middle = (before.at + sample.at) / 2;
    const running = steps.filter(({ from, to }) => from <= middle && middle < to).map(({ phase }) => phase);
    const first = order.find((phase) => running.includes(phase)) ?? 'other';
    const cost = costs[first === 'crawl' && running.includes('load') ? 'crawl and load' : first];
    cost.seconds += (sample.at - before.at) / 1_000;
    cost.cpu += sample.cpu - before.cpu;
    cost.mainCpu += sample.mainCpu - before.mainCpu;
    cost.mib = Math.max(cost.mib, sample.mib);
  }
  return costs;
}
