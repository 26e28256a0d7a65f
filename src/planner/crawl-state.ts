import type { DimensionFacts } from './calibration/dimension-facts.js';
import type { Fiber, Task } from './tasks.js';
import type { SegmentTree } from './tree.js';
import type { Bounds, Dimension, PlanInput } from './types.js';

/** A second pass over a segment: its requests, and the companies it can find. */
export interface Pass {
  cost: number;
  gain: number;
  choice: { dimension: Dimension };
}

/** The second passes over one segment that wait for the end of the search. */
export interface DeferredPasses {
  readonly id: string;
  /** The cheapest pass; null when there is none. */
  readonly best: Pass | null;
  /** Runs the cheapest pass. */
  further(): Task<void>;
  /** Writes the segment's shortfall. */
  explain(): void;
}

/** State shared by all tasks of a plan: the input, the calibration and the segment tree. */
export interface CrawlState {
  input: PlanInput;
  tree: SegmentTree;
  /** Value of `per_page` in all requests. */
  perPage: number;
  /** Rows on a full page. */
  size: number;
  /** Pages that the API shows of one search. */
  pages: number;
  /** Companies that one search can show: pages × size. */
  cap: number;
  /** Requests the planner may spend to find one company that the first split of its segment lost. */
  requestsPerCompany: number;
  /** Requests of all second passes, and the companies they found. */
  second: { requests: number; found: number };
  /**
   * Second passes that are too expensive for one segment alone. `spendRest` runs those that pay for the whole market.
   */
  deferred: DeferredPasses[];
  /** Number of requests wanted so far, answered or not. If the API contradicts itself, thousands may be waiting. */
  asked(): number;
  /** Number of requests after which the plan splits no more segments. Grows with the companies found. */
  requestLimit(): number;
  /** From this number on, a total means "at least this many". Infinity while no cap is suspected. */
  readonly totalsCap: number;
  /** Records that totals are capped at this number. A larger total later proves that there is no cap. */
  noteCappedTotals(total: number): void;
  /** Whether ranges include values equal to their bounds; `inclusive` until calibration shows otherwise. */
  bounds: Bounds;
  /** Facts of each dimension in the whole market, calibrated once when first needed. */
  facts: Map<Dimension, Fiber<DimensionFacts | null>>;
  /** Why version 1 cannot list the market; later nights then do not try it. Null when it can. */
  v1Refusal: string | null;
  /** Unusable dimensions, each with its reason. */
  dropped: Map<string, string>;
}
