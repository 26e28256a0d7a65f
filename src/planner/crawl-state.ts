import type { AxisFacts } from './calibration/axis-facts.js';
import type { SecondPasses } from './second-pass.js';
import type { Fiber } from './tasks.js';
import type { SegmentTree } from './tree.js';
import type { Bounds, Dimension, PlanInput } from './types.js';

/** State shared by all tasks of a plan: the input, the calibration and the segment tree. */
export interface CrawlState {
  input: PlanInput;
  tree: SegmentTree;
  /** `per_page` of all requests. */
  perPage: number;
  /** Rows on a full page. */
  size: number;
  /** Pages of one search that the API shows. */
  pages: number;
  /** Companies one search can show: pages × size. */
  cap: number;
  /** Requests the planner may spend to find one company that its segment's first split lost. */
  requestsPerCompany: number;
  /** Requests of all second passes, and the companies they found. */
  second: { requests: number; found: number };
  /** Second passes too expensive for their own segment; `spendRest` decides on them. */
  deferred: SecondPasses[];
  /** Requests wanted so far, answered or not. If the API contradicts itself, thousands may wait. */
  asked(): number;
  /** Number of requests after which nothing is split any more; grows with the companies found. */
  fence(): number;
  /** Totals from here on only mean "at least this many"; Infinity while no cap is suspected. */
  readonly totalsCap: number;
  /** Records that totals are capped at this number. A larger total later lifts the cap. */
  noteCappedTotals(total: number): void;
  /** Whether range bounds include their own value; `inclusive` until calibration shows otherwise. */
  bounds: Bounds;
  /** Facts of each dimension, calibrated once on the whole market, when first needed. */
  facts: Map<Dimension, Fiber<AxisFacts | null>>;
  /** Why version 1 cannot list the market, on later nights too; null when it can. */
  v1Refusal: string | null;
  /** Unusable dimensions, each with its reason. */
  dropped: Map<string, string>;
}
