import type { DimensionFacts } from './calibration/dimension-facts.js';
import type { Fiber, Task } from './tasks.js';
import type { SegmentTree } from './tree.js';
import type { Bounds, Dimension, PlanInput } from './types.js';

/**
 * A possible second pass over a segment: `cost` is its estimated number of requests, and `gain` is the largest number
 * of companies that it can find.
 */
export interface Pass {
  cost: number;
  gain: number;
  choice: { dimension: Dimension };
}

/** Second passes over one segment that are postponed until the whole market was searched. */
export interface DeferredPasses {
  readonly id: string;
  /** The pass with the fewest requests per company; null if there is no pass. */
  readonly best: Pass | null;
  /**
   * Takes the next step of the pass in `best`. If the companies that this pass can find are not counted yet, counts them.
   * Otherwise runs the pass.
   */
  further(): Task<void>;
  /** Writes into the segment why companies are missing. */
  explain(): void;
}

/** The state that all tasks of a plan share: the input, the results of calibration, and the segment tree. */
export interface CrawlState {
  input: PlanInput;
  tree: SegmentTree;
  /** Value of `per_page` in all requests. */
  perPage: number;
  /** Number of rows on a full page. */
  size: number;
  /** Number of pages that the API shows of one search. */
  pages: number;
  /** Number of companies that one search can show: pages × size. */
  cap: number;
  /**
   * Number of requests that a second pass may spend on each company that it finds. 0: no second pass runs. More
   * expensive passes need the remainder's budget.
   */
  price: number;
  /**
   * Whether every pass runs without a count of the companies that it can find. Such a count is too low in two cases:
   * companies moved, or an earlier sweep stopped early.
   */
  thorough: boolean;
  /** Returns how many requests all second passes may send, in addition to `price` for each company that they find. */
  budget(): number;
  /** Number of requests of all second passes, and number of companies that they found. */
  second: { requests: number; found: number };
  /**
   * Second passes that cost too much for their segment alone. After the search of the market, `spendRest` runs the
   * cheapest of them.
   */
  deferred: DeferredPasses[];
  /**
   * Returns the number of requests that the plan has created so far, answered or not. If the API contradicts itself,
   * thousands of them may wait for an answer.
   */
  asked(): number;
  /**
   * Returns the number of requests after which the plan splits no more segments. The number grows with the companies
   * found.
   */
  requestLimit(): number;
  /**
   * The number at which the API caps totals: a total that is this large or larger means "at least this many". Infinity
   * if no cap is suspected.
   */
  readonly totalsCap: number;
  /** Records that the API caps totals at this number. If a later total is larger, this proves that there is no cap. */
  noteCappedTotals(total: number): void;
  /**
   * Whether the API includes values equal to the bounds of a range. `inclusive` until calibration finds something else.
   */
  bounds: Bounds;
  /**
   * What calibration found out about each dimension in the whole market. A dimension is calibrated once, when it is
   * first needed.
   */
  facts: Map<Dimension, Fiber<DimensionFacts | null>>;
  /** Why version 1 cannot list the market; null if it can. With a reason, later nights do not try version 1. */
  v1Refusal: string | null;
  /** Unusable dimensions, each with its reason. */
  dropped: Map<string, string>;
}
