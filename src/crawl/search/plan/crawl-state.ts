import type { DimensionFacts, Outcome } from './calibration/dimension-facts.js';
import type { Requests } from './requests.js';
import { SegmentTree, type Segment } from './tree.js';
import type { Bounds, Dimension, PageAnswer, PlanAnswer, PlanInput, Remainder } from './types.js';

/** Highest page number of a search (reference v2, "Limits"). */
export const PAGE_CAP = 10;

// The planner stops splitting after REQUESTS_PER_PAGE requests per page of the market, plus REQUESTS_FLOOR. A
// consistent API needs far fewer requests: even two passes that request each page twice need only 4 requests per page.
const REQUESTS_PER_PAGE = 8;
const REQUESTS_FLOOR = 1_000;
// The API's total may be far above the number of companies found. Then the planner stops splitting after this many
// requests per found company, plus REQUESTS_FLOOR.
const REQUESTS_PER_FOUND = 30;

// Default of the input `remainder`.
const REMAINDER: Remainder = { share: 0.05, records: () => 0, limit: null };
// A second pass that costs at most this many requests for each company that it finds always runs.
const PRICE = 3;
// The same limit in a thorough search.
const THOROUGH_PRICE = 1_000;
// The budget of the remainder is at least this share of the search's own requests, because a night with few records
// would otherwise find fewer companies than the night before.
const LEAST_BUDGET = 0.3;

/**
 * A second pass looks for certain companies of a segment: earlier passes cannot find them, because they have no value in
 * the dimensions of those passes.
 */
export interface Hunt {
  /** The splits of the earlier passes. */
  reached: readonly DimensionFacts[];
  /** Returns whether an earlier pass found the company. */
  knows(id: string): boolean;
  /** Largest number of companies to find in the segment; null if the API cannot count them. */
  most: number | null;
}

/** A possible second pass along one dimension. */
export interface Offer {
  facts: DimensionFacts;
  /** Estimated number of requests. */
  cost: number;
  /** The largest number of companies that this pass can find. */
  gain: number;
}

/** A segment whose split did not find all of its companies. Second passes look for the others. */
export interface Gap {
  segment: Segment;
  /** Page 1 of the segment. */
  first: PageAnswer;
  /** The splits so far. */
  reached: readonly DimensionFacts[];
  /** The dimensions along which the segment was not split. */
  rest: readonly Dimension[];
  /** The second pass that searched this segment; null for a segment of the first pass. */
  outer: Hunt | null;
  /** What the first split of the segment found. */
  known: ReadonlySet<string>;
  /** Requests that second passes over the segment earned, minus those that they sent. A found company earns `price`. */
  earned: number;
  /** Possible second passes, the one with the fewest requests per company first; null if they are not known yet. */
  offers: readonly Offer[] | null;
}

/** The state that all tasks of a plan share: the input, the results of calibration, and the segment tree. */
export class CrawlState {
  readonly tree: SegmentTree;
  /** The API's message if it refuses the market's own filters. */
  refused: string | null = null;
  /** The market's total in the first answer. */
  firstTotal: number | null = null;
  /** Value of `per_page` in all requests. */
  perPage: number;
  /** Number of rows on a full page. */
  size: number;
  /** Number of pages that the API shows of one search. */
  pages = PAGE_CAP;
  /**
   * Number of requests that a second pass may spend on each company that it finds. 0: no second pass runs. More
   * expensive passes need the remainder's budget.
   */
  readonly price: number;
  /**
   * Whether the parts of each pass are searched without a count of the companies that they can find. Such a count is
   * too low in two cases: companies moved, or an earlier sweep stopped early.
   */
  readonly thorough: boolean;
  readonly gaps: Gap[] = [];
  /**
   * Whether the API includes values equal to the bounds of a range. `inclusive` until calibration finds something else.
   */
  bounds: Bounds;
  /**
   * What calibration found out about each dimension in the whole market. A dimension is calibrated once, when it is
   * first needed.
   */
  readonly facts = new Map<Dimension, Promise<DimensionFacts | null>>();
  /** The outcome of each finished calibration, by the key of the dimension, and under `v1` why version 1 is unusable. */
  readonly outcomes = new Map<string, Outcome>();
  /** Why version 1 cannot list the market; null if it can. With a reason, later nights do not try version 1. */
  v1Refusal: string | null;
  private largestTotal = 0;
  private notedCap = Infinity;

  constructor(
    readonly input: PlanInput,
    readonly requests: Requests,
  ) {
    const { filters, perPage, known, remainder = REMAINDER } = input;
    this.tree = new SegmentTree(filters);
    this.perPage = this.size = perPage;
    this.thorough = remainder.share >= 1;
    this.price = remainder.share === 0 ? 0 : this.thorough ? THOROUGH_PRICE : PRICE;
    this.bounds = known?.calibration?.bounds ?? 'inclusive';
    this.v1Refusal = known?.calibration?.v1Refusal ?? null;
  }

  /** Takes a usable answer to any search of the market. */
  note(answer: Exclude<PlanAnswer, { refused: string }>): void {
    this.tree.note(answer.ids);
    if ('total' in answer) this.largestTotal = Math.max(this.largestTotal, answer.total);
  }

  /** Number of companies that one search can show. */
  get cap(): number {
    return this.pages * this.size;
  }

  /**
   * The number at which the API caps totals: a total that is this large or larger means "at least this many". Infinity
   * if no cap is suspected.
   */
  get totalsCap(): number {
    return this.largestTotal > this.notedCap ? Infinity : this.notedCap;
  }

  /** Records that the API caps totals at this number. If a later total is larger, this proves that there is no cap. */
  noteCappedTotals(total: number): void {
    this.notedCap = Math.min(this.notedCap, total);
  }

  /**
   * Whether the plan has made more requests than it needs for any API that does not contradict itself. It then splits no
   * more segments. The limit grows with the companies found.
   */
  get isBeyondReason(): boolean {
    const { root } = this.tree;
    const claimed = this.totalsCap < Infinity ? Math.max(root.total, root.distinct) : root.total;
    const most = Math.min(REQUESTS_PER_PAGE * Math.ceil(claimed / this.size), REQUESTS_PER_FOUND * root.distinct);
    return this.requests.asked > REQUESTS_FLOOR + most;
  }

  /**
   * Returns how many requests all second passes may send, in addition to `price` for each company that they find: the
   * remainder's share of the night's requests. It never uses requests that the night needs for records. Call this before
   * the first second pass.
   */
  budget(): number {
    const { share, records, limit } = this.input.remainder ?? REMAINDER;
    const search = this.requests.asked;
    const night = search + records(this.tree.root.total);
    const left = limit === null ? Infinity : limit - night;
    return Math.max(0, Math.min(Math.max(share * night, LEAST_BUDGET * search), left));
  }
}
