import type { CoverageRecord, SegmentRecord } from '../../../../schemas/pipeline/landing.js';
import { calibratePageSize } from './calibration/calibrate-page.js';
import { describeCoverage } from './coverage.js';
import { CrawlState } from './crawl-state.js';
import { enumerate, splitBy } from './split.js';
import { askAgain } from './questions.js';
import { Requests, type Send } from './requests.js';
import { addPage, missingOf } from './tree.js';
import { isRefused, type Calibration, type PlanInput } from './types.js';
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
 * The search of all companies of a market through `POST /v2/prospecting` (reference v2, "Prospecting"). Decides which
 * requests to send. Its decisions depend only on the answers, and not on their order. So to resume, create a new plan
 * whose `send` returns the answers of the earlier plan.
 *
 * States, in this order:
 * - page size: requests page 1 until the page size is known. The plan is done if page 1 is empty, or if the API refuses
 *   the filters (`refused`).
 * - listing: reads a market above the page cap through version 1, if this is possible. The plan is done if the totals
 *   agree.
 * - search: reads or splits the market (`enumerate`). Then runs second passes (`fillGaps`).
 * - final: requests the market's total once more. Then the plan is done.
 */
export class Plan {
  /** Whether the search has ended. */
  done = false;
  private readonly requests: Requests;
  private readonly state: CrawlState;

  /** @param inFlight largest number of calls of `send` at the same time */
  constructor(input: PlanInput, send: Send, inFlight: number) {
    this.requests = new Requests(send, inFlight, ({ segment }, answer) => {
      if (!isRefused(answer) && segment !== V1_PROBE) this.state.note(answer);
    });
    this.state = new CrawlState(input, this.requests);
  }

  /**
   * Sends requests until the search has ended, or until it needs an answer that `send` does not give. Call this once.
   * @throws the first error of `send`, after all requests in flight have ended
   */
  async run(): Promise<void> {
    this.done = await this.requests.run(() => crawlMarket(this.state));
  }

  /** The API's message if it refuses the market's own filters, otherwise null. */
  get refused(): string | null {
    return this.state.refused;
  }

  /** Returns all segments that have a state, ordered by id. */
  segments(): SegmentRecord[] {
    return this.state.tree.records();
  }

  coverage(): CoverageRecord {
    return describeCoverage(this.state, this.done);
  }

  /** Returns what the run learned about the API and the market. Later nights get it as `known.calibration`. */
  calibration(): Calibration {
    return describeCalibration(this.state);
  }

  stats(): PlanStats {
    const { tree, firstTotal } = this.state;
    return {
      requests: this.requests.answered,
      distinct: tree.root.distinct - tree.root.unusable,
      reportedTotal: firstTotal === null ? null : tree.root.total,
    };
  }
}

async function crawlMarket(state: CrawlState): Promise<void> {
  const { root } = state.tree;
  const first = await calibratePageSize(state);
  if (isRefused(first)) {
    state.refused = first.refused;
    root.shortfall = { code: 'filters_refused', values: { message: first.refused } };
    return;
  }
  const firstTotal = (root.total = state.firstTotal = first.total);
  if (first.total > 0 && first.ids.length === 0) {
    root.shortfall = { code: 'page_empty', values: { total: root.total } };
    root.state = 'truncated';
    return;
  }
  const learntCap = state.input.known?.calibration?.totalsCap;
  if (learntCap && root.total >= learntCap) state.noteCappedTotals(learntCap);
  const listable = root.total > state.cap && root.total < state.totalsCap;
  const listing = listable ? await readListing(state) : null;
  if (listing) {
    await askTotal(state, 'final');
    if (settleListing(state, listing, firstTotal)) {
      root.state = 'split';
      return;
    }
  }
  await enumerate(state, root, first, state.input.dimensions, null);
  await fillGaps(state, splitBy);
  const counted = root.total;
  await askTotal(state, listing ? 'final-2' : 'final');
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
async function askTotal(state: CrawlState, again: string): Promise<void> {
  const { root } = state.tree;
  const last = await askAgain(state, root, 'final', again);
  if (!isRefused(last)) addPage(root, last);
}
