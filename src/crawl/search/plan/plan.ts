import type { CoverageRecord, SegmentRecord } from '../../../../schemas/pipeline/landing.js';
import { calibratePageSize } from './calibration/calibrate-page.js';
import { describeCoverage } from './coverage.js';
import { CrawlState } from './crawl-state.js';
import { enumerate, splitBy } from './split.js';
import { askAgain } from './questions.js';
import { Scheduler, type Task } from './tasks.js';
import { addPage, missingOf } from './tree.js';
import { isRefused, type Calibration, type PlanAnswer, type PlanInput, type PlanRequest } from './types.js';
import { describeCalibration } from './known-market.js';
import { fillGaps } from './second-pass.js';
import { readListing, settleListing, V1_PROBE } from './v1/listing.js';
import { driftOf } from './tolerances.js';

/** Progress of a plan. */
export interface PlanStats {
  /** Number of answers that the plan has used so far. */
  requests: number;
  /** Number of distinct companies found so far. */
  distinct: number;
  /** The market's total in the last answer; null before the first answer. */
  reportedTotal: number | null;
}

/**
 * Plans the search of one market: says which requests to send, and takes their answers. The state of a plan depends
 * only on the answers. So to resume, create a new plan and give it the answers of the earlier plan: all of them before
 * the first `next`, or each one when the plan returns its request.
 *
 * States, in this order:
 * - page size: requests page 1 until the page size is known. The plan is done if page 1 is empty, or if the API refuses
 *   the filters (`refused`).
 * - listing: reads a market above the page cap through version 1, if this is possible. The plan is done if the totals
 *   agree.
 * - search: reads or splits the market (`enumerate`). Then runs second passes (`fillGaps`).
 * - final: requests the market's total once more. Then the plan is done.
 */
export interface Plan {
  /**
   * Returns up to `limit` requests to send now. Returns each request only once. If the list is empty, the plan waits
   * for answers or is done.
   */
  next(limit: number): PlanRequest[];
  /**
   * Takes the answer to the request with this key. Answers may come in any order; the plan keeps those that it does not
   * need yet.
   */
  answer(key: string, answer: PlanAnswer): void;
  readonly done: boolean;
  /** The API's message if it refuses the market's own filters, otherwise null. */
  readonly refused: string | null;
  /** Returns all segments that have a state, ordered by id. */
  segments(): SegmentRecord[];
  coverage(): CoverageRecord;
  /** Returns what the run learned about the API and the market. Later nights get it as `known.calibration`. */
  calibration(): Calibration;
  stats(): PlanStats;
}

/**
 * Creates a plan that searches all companies of a market through `POST /v2/prospecting` (reference v2, "Prospecting").
 */
export function createPlan(input: PlanInput): Plan {
  const scheduler = new Scheduler(({ segment }, answer) => {
    if (!isRefused(answer) && segment !== V1_PROBE) state.note(answer);
  });
  const state = new CrawlState(input, scheduler);
  const { tree } = state;
  const { root } = tree;
  const crawl = scheduler.start(crawlMarket(state));
  return {
    next: (limit) => scheduler.take(limit),
    answer: (key, answer) => scheduler.give(key, answer),
    get done() {
      return crawl.done;
    },
    get refused() {
      return state.refused;
    },
    segments: () => tree.records(),
    coverage: () => describeCoverage(state, crawl.done),
    calibration: () => describeCalibration(state),
    stats: () => ({
      requests: scheduler.answered,
      distinct: root.distinct - root.unusable,
      reportedTotal: state.firstTotal === null ? null : root.total,
    }),
  };
}

function* crawlMarket(state: CrawlState): Task<void> {
  const { root } = state.tree;
  const size = yield* calibratePageSize(root.filters, state.input.perPage, state.input.known?.calibration);
  if ('refused' in size) {
    state.refused = size.refused;
    root.shortfall = { code: 'filters_refused', values: { message: size.refused } };
    return;
  }
  Object.assign(state, { perPage: size.perPage, size: size.size, pages: size.pages, cap: size.size * size.pages });
  for (const page of size.asked) addPage(root, page);
  const firstTotal = (root.total = state.firstTotal = size.first.total);
  if (size.first.total > 0 && size.first.ids.length === 0) {
    root.shortfall = { code: 'page_empty', values: { total: root.total } };
    root.state = 'truncated';
    return;
  }
  const learntCap = state.input.known?.calibration?.totalsCap;
  if (learntCap && root.total >= learntCap) state.noteCappedTotals(learntCap);
  const listable = root.total > state.cap && root.total < state.totalsCap;
  const listing = listable ? yield* readListing(state) : null;
  if (listing) {
    yield* askTotal(state, 'final');
    if (settleListing(state, listing, firstTotal)) {
      root.state = 'split';
      return;
    }
  }
  yield* enumerate(state, root, size.first, state.input.dimensions, null);
  yield* fillGaps(state, splitBy);
  const counted = root.total;
  yield* askTotal(state, listing ? 'final-2' : 'final');
  // If totals are capped, the parts have more companies together than the market's total. But parts may also share
  // companies. If the total equals the number of companies found, the total is right.
  const whole = root.children.every((child) => child.state === 'calibration' || missingOf(child) === 0);
  if (root.distinct === root.total && whole) root.uncounted = false;
  else if (root.total >= state.totalsCap) root.total = Math.max(root.total, counted);
  const surplus = root.distinct - Math.max(root.total, firstTotal);
  if (surplus > driftOf(root.total) && !root.uncounted) {
    root.uncounted = true;
    root.shortfall = { code: 'total_wrong', values: { listed: root.distinct, total: root.total } };
  }
}

/** Requests the market's total once more, after all searches. */
function* askTotal(state: CrawlState, again: string): Task<void> {
  const { root } = state.tree;
  const last = yield* askAgain(state, root, 'final', again);
  if (!isRefused(last)) addPage(root, last);
}
