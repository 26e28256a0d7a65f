import type { AxisFacts } from './axis-facts.js';
import type { SecondPasses } from './second-pass.js';
import type { Fiber } from './tasks.js';
import type { SegmentTree } from './tree.js';
import type { Bounds, Dimension, PlanInput } from './types.js';

/** What every task of a plan shares: the input, what calibration found out, and the tree. */
export interface CrawlState {
  input: PlanInput;
  tree: SegmentTree;
  /** Sent as `per_page`. */
  perPage: number;
  /** Rows a full page really holds. */
  size: number;
  /** Pages of a search the API shows. */
  pages: number;
  /** Companies of a search that can be seen: pages × size. */
  cap: number;
  /** Requests that a company may cost which the first split of its segment lost. */
  requestsPerCompany: number;
  /** What all second passes cost, and the companies they found. */
  second: { requests: number; found: number };
  /** Second passes that are too dear for their own segment. */
  deferred: SecondPasses[];
  /** Requests asked for so far, answered or not: thousands may wait in the queue of an API that contradicts itself. */
  asked(): number;
  /** Requests beyond which nothing is split any more; grows with what is found. */
  fence(): number;
  /** Totals at or above this are only known to be at least this; Infinity while nothing speaks for it. */
  readonly totalsCap: number;
  /** There are more companies than this total says: totals end there, unless one goes beyond it. */
  noteCappedTotals(total: number): void;
  /** What bounds of ranges mean; believed inclusive until asking shows otherwise. */
  bounds: Bounds;
  /** What is known of each dimension, found out once, on the market as a whole, when first needed. */
  facts: Map<Dimension, Fiber<AxisFacts | null>>;
  /** Why version 1 will not serve on later nights either. */
  v1Refusal: string | null;
  /** Dimensions that cannot be used, with the reason in words. */
  dropped: Map<string, string>;
}
