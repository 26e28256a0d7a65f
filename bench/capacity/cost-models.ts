import { fitCost, predictCost, type CostModel, type Observation } from '../scale/cost-model.js';
import type { Measurement } from './read-runs.js';

/** What causes the cost of a night. */
type Cause = 'searched' | 'fetched' | 'events';
type Causes = Record<Cause, number>;

/** A cost of a run, and how it is predicted. */
interface Cost {
  /** The runs whose figures are fitted. */
  kinds: readonly Measurement['kind'][];
  /** Causes of the cost. Files hold the results of all runs of a size, and the others those of one run. */
  causes: readonly Cause[];
  ofFile?: boolean;
  /** The measured figure; undefined if a result has no such figure. */
  read: (figures: Record<string, number>) => number | undefined;
}

const sum = (figures: Record<string, number>, names: readonly string[]): number | undefined =>
  names.every((name) => name in figures) ? names.reduce((all, name) => all + figures[name]!, 0) : undefined;
const WAREHOUSE = ['plan', 'load', 'models', 'publish', 'other'].map((phase) => `CPU: ${phase}`);
const CRAWL = ['CPU: search', 'CPU: crawl'];
const NIGHT = { kinds: ['search', 'first'], causes: ['searched', 'fetched'] } as const;
const FILE = { ...NIGHT, ofFile: true } as const;
const FIRST = { kinds: ['first'], causes: ['fetched'] } as const;
const SECOND = { kinds: ['second'], causes: ['searched'] } as const;
/** Reads a figure that `capacity-runs` and `scale` name differently. */
const either =
  (one: string, other: string) =>
  (figures: Record<string, number>): number | undefined =>
    figures[one] ?? figures[other];

/** All costs that the model predicts. Names of figures are headings in the results of `capacity-runs` and `scale`. */
export const COSTS = {
  requests: { ...NIGHT, read: either('runs: requests', 'requests') },
  answersMiB: { ...NIGHT, read: either('runs: answers', 'size of the answers') },
  events: { ...NIGHT, read: either('runs: Temporal events', 'events in Temporal histories') },
  cpu: {
    ...NIGHT,
    read: (figures) => sum(figures, [...CRAWL, ...WAREHOUSE]) ?? figures['CPU of the worker'],
  },
  crawlCpu: { ...NIGHT, read: (figures) => sum(figures, CRAWL) },
  warehouseCpu: { ...NIGHT, read: (figures) => sum(figures, WAREHOUSE) },
  landingMiB: { ...FILE, read: either('runs: landing zone', 'landing zone') },
  warehouseMiB: { ...FILE, read: either('runs: warehouse file', 'warehouse file') },
  publishedMiB: { ...FILE, read: either('runs: published file and lake', 'published file and lake') },
  temporalMiB: {
    kinds: ['search', 'first'],
    causes: ['events'],
    ofFile: true,
    read: either("runs: Temporal's database", "Temporal's database"),
  },
  modelsPeakMiB: { ...FIRST, read: (figures) => figures['memory: models'] },
  publishPeakMiB: { ...FIRST, read: (figures) => figures['memory: publish'] },
  mainCpu: { ...FIRST, read: (figures) => figures['CPU: main thread, crawl'] },
  laterWarehouseCpu: { ...SECOND, read: (figures) => sum(figures, WAREHOUSE) },
  laterEvents: { ...SECOND, read: (figures) => figures['runs: Temporal events'] },
  copyWrites: { ...FIRST, read: (figures) => figures['copies: writes and lists'] },
  copyReads: { ...FIRST, read: (figures) => figures['copies: reads'] },
  copyMiB: { ...FIRST, read: (figures) => figures['copies: sent'] },
  laterCopyWrites: { ...SECOND, read: (figures) => figures['copies: writes and lists'] },
  laterCopyReads: { ...SECOND, read: (figures) => figures['copies: reads'] },
  laterCopyMiB: { ...SECOND, read: (figures) => figures['copies: sent'] },
} satisfies Record<string, Cost>;
export type CostName = keyof typeof COSTS;

/** Predicts each cost for what causes it. */
export type CostModels = Record<CostName, CostModel<Cause>>;

/** Fits all costs to measured runs. */
export function fitCosts(runs: readonly Measurement[]): CostModels {
  return Object.fromEntries(
    (Object.keys(COSTS) as CostName[]).map((name) => [name, fitCost(observe(runs, name), 'cost')]),
  ) as CostModels;
}

/** The cost of a first night that fetches the record and the report of each company. */
export function predictNight(models: CostModels, name: CostName, companies: number): number {
  const events = predictCost(models.events, { searched: companies, fetched: companies, events: 0 });
  return predictCost(models[name], { searched: companies, fetched: companies, events });
}

/**
 * How far a prediction from some runs is from a later run, as a share: 0.1 is 10 % too high.
 * @param others all other runs of the same size, whose results the files hold, too
 * @returns undefined if the run has no such figure
 */
export function errorOf(
  models: CostModels,
  name: CostName,
  run: Measurement,
  others: readonly Measurement[],
): number | undefined {
  const cost: Cost = COSTS[name];
  const actual = cost.kinds.includes(run.kind) ? cost.read(run.figures) : undefined;
  if (actual === undefined) return undefined;
  return predictCost(models[name], causesOf(run, cost, others)) / actual - 1;
}

function observe(runs: readonly Measurement[], name: CostName): Observation<Cause, 'cost'>[] {
  const cost: Cost = COSTS[name];
  return runs.flatMap((run) => {
    const value = cost.kinds.includes(run.kind) ? cost.read(run.figures) : undefined;
    return value === undefined ? [] : [{ causes: causesOf(run, cost, before(run, runs)), costs: { cost: value } }];
  });
}

/** The runs before a run that used the same data folder: `first` follows `search`. */
function before(run: Measurement, runs: readonly Measurement[]): Measurement[] {
  const at = runs.indexOf(run);
  const from = runs.findLastIndex(({ kind }, i) => kind === 'search' && i <= at);
  return runs.slice(Math.max(from, 0), at);
}

function causesOf(run: Measurement, { causes, ofFile = false }: Cost, earlier: readonly Measurement[]): Causes {
  const runs = ofFile ? [...earlier, run] : [run];
  const all: Causes = { searched: 0, fetched: 0, events: 0 };
  for (const one of runs) {
    all.searched += one.companies;
    all.fetched += one.kind === 'first' ? one.companies : 0;
    all.events += COSTS.events.read(one.figures) ?? 0;
  }
  const used = (cause: Cause): number => (causes.includes(cause) ? all[cause] : 0);
  return { searched: used('searched'), fetched: used('fetched'), events: used('events') };
}
