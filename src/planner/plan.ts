import type { CoverageRecord, SegmentRecord } from '../../schemas/pipeline/landing.js';
import { calibratePageSize, PAGE_CAP } from './calibration/calibrate-page.js';
import { describeCoverage } from './coverage.js';
import type { CrawlState } from './crawl-state.js';
import { formatCount } from '../progress/format.js';
import { enumerate } from './split.js';
import { askAgain } from './questions.js';
import { Scheduler, type Task } from './tasks.js';
import { addPage, missingOf, SegmentTree } from './tree.js';
import {
  isRefused,
  type Calibration,
  type CarriedMembers,
  type PlanAnswer,
  type PlanInput,
  type PlanRequest,
} from './types.js';
import { describeCalibration } from './known-market.js';
import { endsAtRoundTotal } from './round-total.js';
import { spendRest } from './second-pass.js';
import { searchInTurns, turnsTaken } from './rotation.js';
import { readListing, settleListing, V1_PROBE } from './v1/listing.js';

// The planner stops splitting after this many requests for each page of the market, plus a floor. A consistent API
// needs far fewer: two passes over the market, each read twice, take 4 requests for each page.
const REQUESTS_PER_PAGE = 8;
const REQUESTS_FLOOR = 1_000;
// If the total is far above the number of companies found, the limit is this many requests for each found company
// instead.
const REQUESTS_PER_FOUND = 30;

// Default of `requestsPerCompany`.
const REQUESTS_PER_COMPANY = 3;

// Assumes that at most this share of the market's companies is added or removed while the market is read.
const DRIFT = 0.001;
const DRIFT_FLOOR = 5;

/** Progress of a plan. */
export interface PlanStats {
  /** Answers that the plan has used so far. */
  requests: number;
  /** Distinct companies found so far. */
  distinct: number;
  /** The market's total as last reported; null before the first answer. */
  reportedTotal: number | null;
}

/**
 * The search of one market, as requests to send and answers to take. The state depends only on the answers. To resume,
 * give a new plan the answers of an earlier plan: all of them before the first `next`, or each one when the plan
 * returns its request.
 *
 * States and transitions:
 * - page size: requests page 1 until the page size is known. Filters refused: done, with `refused`. Page 1 empty: done.
 * - listing: reads a market above the page cap through version 1 if possible. Totals agree: done. Otherwise → search.
 * - search: reads or splits the market, by rotation (`searchInTurns`) or completely (`enumerate`); then `spendRest`.
 * - final: requests the market's total once more; then done.
 */
export interface Plan {
  /** Returns up to `limit` requests to send now, each only once. If empty, the plan waits for answers or is done. */
  next(limit: number): PlanRequest[];
  /** Takes the answer to a request by the request's key, in any order. Keeps answers that are not needed yet. */
  answer(key: string, answer: PlanAnswer): void;
  readonly done: boolean;
  /** The API's message when it refuses the market's own filters; null otherwise. */
  readonly refused: string | null;
  /** Returns all segments that have a state, ordered by id. */
  segments(): SegmentRecord[];
  coverage(): CoverageRecord;
  /** Returns the companies carried over from earlier nights (`Rotation.carried`) that this run did not find again. */
  carried(): CarriedMembers;
  /**
   * Returns what the run learned about the API and the market. Later nights receive the result as `known.calibration`.
   */
  calibration(): Calibration;
  stats(): PlanStats;
}

/** Plans the search of all companies of a market through `POST /v2/prospecting` (reference v2, "Prospecting"). */
export function createPlan(input: PlanInput): Plan {
  const tree = new SegmentTree(input.filters);
  const { root } = tree;
  let largestTotal = 0;
  let notedCap = Infinity;
  const outcome: CrawlOutcome = { refused: null, firstTotal: null, enumerated: false, inTurns: false };
  const scheduler = new Scheduler(({ segment }, answer) => {
    if (isRefused(answer) || segment === V1_PROBE) return;
    tree.note(answer.ids);
    if ('total' in answer) largestTotal = Math.max(largestTotal, answer.total);
  });
  const state: CrawlState = {
    input,
    tree,
    perPage: input.perPage,
    size: input.perPage,
    pages: PAGE_CAP,
    cap: 0,
    requestsPerCompany: input.requestsPerCompany ?? REQUESTS_PER_COMPANY,
    second: { requests: 0, found: 0 },
    deferred: [],
    asked: () => scheduler.asked,
    requestLimit: () => {
      const claimed = state.totalsCap < Infinity ? Math.max(root.total, root.distinct) : root.total;
      return (
        REQUESTS_FLOOR +
        Math.min(REQUESTS_PER_PAGE * Math.ceil(claimed / state.size), REQUESTS_PER_FOUND * root.distinct)
      );
    },
    get totalsCap() {
      return largestTotal > notedCap ? Infinity : notedCap;
    },
    noteCappedTotals: (total) => {
      notedCap = Math.min(notedCap, total);
    },
    bounds: input.known?.calibration?.bounds ?? 'inclusive',
    v1Refusal: input.known?.calibration?.v1Refusal ?? null,
    facts: new Map(),
    dropped: new Map(),
  };
  const crawl = scheduler.start(crawlMarket(state, outcome));
  return {
    next: (limit) => scheduler.take(limit),
    answer: (key, answer) => scheduler.give(key, answer),
    get done() {
      return crawl.done;
    },
    get refused() {
      return outcome.refused;
    },
    segments: () => tree.records(),
    coverage: () =>
      describeCoverage({
        market: input.market,
        tree,
        firstTotal: outcome.firstTotal,
        done: crawl.done,
        dropped: state.dropped,
        carried: carriedOver(state, outcome),
      }),
    carried: () => carriedOver(state, outcome),
    calibration: () => ({
      ...describeCalibration(state),
      turns: outcome.enumerated ? turnsTaken(state, outcome.inTurns) : null,
    }),
    stats: () => ({
      requests: scheduler.answered,
      distinct: root.distinct - root.unusable,
      reportedTotal: outcome.firstTotal === null ? null : root.total,
    }),
  };
}

interface CrawlOutcome {
  refused: string | null;
  firstTotal: number | null;
  /** True when the market was above the page cap, and version 2 searched the market, by rotation or completely. */
  enumerated: boolean;
  inTurns: boolean;
}

/** Returns the carried-over companies that this run did not find again; none when the run searched the whole market. */
function carriedOver({ input, tree: { root } }: CrawlState, { inTurns }: CrawlOutcome): CarriedMembers {
  const postponed = inTurns && root.children.some((child) => child.postponed);
  const carried = Object.entries((postponed && input.known?.rotation?.carried) || {});
  const left = carried.map(([night, ids]) => [night, ids.filter((id) => !root.found.has(id))] as const);
  return Object.fromEntries(left.filter(([, ids]) => ids.length > 0));
}

function* crawlMarket(state: CrawlState, outcome: CrawlOutcome): Task<void> {
  const { root } = state.tree;
  const size = yield* calibratePageSize(root.filters, state.input.perPage, state.input.known?.calibration);
  if ('refused' in size) {
    outcome.refused = size.refused;
    root.shortfall = `the API refused the market's filters: ${size.refused}`;
    return;
  }
  Object.assign(state, { perPage: size.perPage, size: size.size, pages: size.pages, cap: size.size * size.pages });
  for (const page of size.asked) addPage(root, page);
  root.total = outcome.firstTotal = size.first.total;
  if (size.first.total > 0 && size.first.ids.length === 0) {
    root.shortfall = `page 1 is empty, although the API counts ${formatCount(root.total)} companies`;
    root.state = 'truncated';
    return;
  }
  const learntCap = state.input.known?.calibration?.totalsCap;
  if (learntCap && root.total >= learntCap) state.noteCappedTotals(learntCap);
  const listable = root.total > state.cap && root.total < state.totalsCap;
  const listing = listable && !(yield* endsAtRoundTotal(state)) ? yield* readListing(state) : null;
  if (listing) {
    yield* askTotal(state, 'final');
    if (settleListing(state, listing, outcome.firstTotal)) {
      root.state = 'split';
      return;
    }
  }
  const others = yield* searchInTurns(state);
  if (!others) yield* enumerate(state, root, size.first, state.input.dimensions, null);
  yield* spendRest(state);
  Object.assign(outcome, { enumerated: true, inTurns: others !== null });
  const counted = root.total;
  yield* askTotal(state, listing ? 'final-2' : 'final');
  if (others) {
    const carried = carriedOver(state, outcome);
    for (const segment of [root, others]) {
      segment.carried = Object.values(carried).reduce((sum, ids) => sum + ids.length, 0);
      segment.carriedSince = Object.keys(carried).toSorted()[0] ?? null;
    }
  }
  // A capped total is smaller than the sum of the parts, but parts may also share companies. If the total equals the
  // companies found, the total is right.
  const whole = root.children.every((child) => child.state === 'calibration' || missingOf(child) === 0);
  if (root.distinct === root.total && whole) root.uncounted = false;
  else if (root.total >= state.totalsCap) root.total = Math.max(root.total, counted);
  const surplus = root.distinct - Math.max(root.total, outcome.firstTotal);
  if (surplus > Math.max(DRIFT_FLOOR, DRIFT * root.total) && !root.uncounted) {
    root.uncounted = true;
    root.shortfall = `the API counts ${formatCount(root.total)} companies but lists ${formatCount(root.distinct)}, so its totals are wrong`;
  }
}

/** Requests the market's total once more, after all other requests. */
function* askTotal(state: CrawlState, again: string): Task<void> {
  const { root } = state.tree;
  const last = yield* askAgain(state, root, 'final', again);
  if (!isRefused(last)) addPage(root, last);
}
