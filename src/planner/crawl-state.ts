import type { DimensionFacts } from './calibration/dimension-facts.js';
import type { Fiber, Task } from './tasks.js';
import type { SegmentTree } from './tree.js';
import type { Bounds, Dimension, PlanInput } from './types.js';

/** One possible second pass over a segment: its requests, and the companies that the pass can find. */
export interface Pass {
  cost: number;
  gain: number;
  choice: { dimension: Dimension };
}

/** Second passes over one segment that run after the whole market was searched. */
export interface DeferredPasses {
  readonly id: string;
  /** The cheapest pass; null when there is none. */
  readonly best: Pass | null;
  /** Runs the cheapest pass. */
  further(): Task<void>;
  /** Writes why the segment lacks companies. */
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
  /** Requests the planner may spend to find one company that has no value in the dimension of a split. */
  requestsPerCompany: number;
  /** Requests of all second passes, and the companies they found. */
  second: { requests: number; found: number };
  /**
   * Second passes that are too expensive for one segment alone. After the market's search, `spendRest` runs the
   * cheapest of these passes.
   */
  deferred: DeferredPasses[];
  /**
   * Number of requests the plan has created so far, answered or not. If the API contradicts itself, thousands may be
   * waiting.
   */
  asked(): number;
  /** After this many requests, the plan splits no more segments. The limit grows with the companies found. */
  requestLimit(): number;
  /** A total of this number or more means "at least this many". Infinity while no cap is suspected. */
  readonly totalsCap: number;
  /** Records that the API caps totals at this number. A larger total later proves that there is no cap. */
  noteCappedTotals(total: number): void;
  /** Whether ranges include values equal to their bounds; `inclusive` until calibration shows otherwise. */
  bounds: Bounds;
  /** Facts of each dimension in the whole market, calibrated once when first needed. */
  facts: Map<Dimension, Fiber<DimensionFacts | null>>;
  /** Why version 1 cannot list the market; later nights then do not try version 1. Null when version 1 can. */
  v1Refusal: string | null;
  /** Unusable dimensions, each with its reason. */
  dropped: Map<string, string>;
}
