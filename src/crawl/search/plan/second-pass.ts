import type { Choice } from './calibration/choose-dimension.js';
import type { CrawlState, DeferredPasses } from './crawl-state.js';
import { BEYOND_REASON, isBeyondReason } from './request-limit.js';
import { plainReason } from '../../../../schemas/pipeline/reason.js';
import { byPrice, countOffer, newIn, offersFor, type Hunt, type Offer } from './hunt.js';
import { readTop } from './leaf.js';
import { askAgain } from './questions.js';
import { fork, join, type Task } from './tasks.js';
import { addPage, lostOf, missingOf, type Segment } from './tree.js';
import { isRefused, type Dimension, type PageAnswer } from './types.js';

// A pass may cost this many requests more than `price` × the number of companies that it finds.
const SMALL_PASS = 10;
// Until a second pass has found a company, it may send `price` × TRIAL × P requests. P is the number of the
// segment's pages. If TRIAL × P is below LEAST_TRIAL, LEAST_TRIAL counts instead.
const TRIAL = 0.13;
const LEAST_TRIAL = 10;
// If totals are capped, nobody knows how many companies a pass can find. Then a pass may send TRUST requests for each
// page of the segment. For a small segment, LEAST_TRUST pages count.
const TRUST = 1.5;
const LEAST_TRUST = 30;

/** A segment whose split did not find all of its companies. */
export interface Split {
  segment: Segment;
  /** Page 1 of the segment. */
  first: PageAnswer;
  choice: Choice;
  /** The dimensions along which the segment was not split. */
  rest: readonly Dimension[];
}

/** The split of a segment along one dimension. */
export interface SplitStep {
  segment: Segment;
  choice: Choice;
  /** The dimensions along which the parts may be split further. */
  rest: readonly Dimension[];
  hunt: Hunt | null;
  /** Called from time to time during the split. If it returns true, the split ends early. */
  enough?: () => boolean;
}

/** Sweeps a segment along one more dimension. Ends early if `enough` returns true. */
export type Walk = (state: CrawlState, step: SplitStep) => Task<void>;

/**
 * Runs second passes over a segment, to find the companies without a value in the dimension of its split. Always runs
 * the cheapest pass next, as long as it costs at most `price` requests per company. Leaves more expensive passes to
 * `spendRest`.
 * @param outer the second pass to which this segment belongs; null for a segment of the first pass
 */
export function* recover(
  state: CrawlState,
  split: Split,
  outer: (Hunt & { hunted: number | null }) | null,
  walk: Walk,
): Task<void> {
  const { segment } = split;
  const { price } = state;
  if (price === 0) {
    segment.shortfall = plainReason('not_searched');
    return;
  }
  if (isBeyondReason(state)) {
    segment.shortfall = BEYOND_REASON;
    return;
  }
  if (!segment.uncounted) {
    const again = yield* askAgain(state, segment);
    if (!isRefused(again)) addPage(segment, again);
    if (lostOf(segment) === 0) return;
  }
  const passes = new SecondPasses(state, split, outer, walk);
  yield* passes.look();
  for (let best = passes.best; best && best.cost <= passes.room(best); best = passes.best) yield* passes.goOn();
  if (segment.uncounted) segment.total = Math.max(segment.total, segment.distinct);
  if (missingOf(segment) * state.size * price >= segment.total) {
    segment.merged = true;
    yield* readTop(state, segment, split.first);
  }
  passes.explain();
  if (outer) return;
  passes.book();
  if (passes.best && !segment.uncounted) {
    state.deferred.push(passes);
    for (let kept: Segment | null = segment; kept; kept = kept.parent) kept.kept = true;
  }
}

/**
 * Runs the postponed second passes after the whole market was searched. Starts with those that need the fewest requests
 * per company. Together, the second passes may send the remainder's budget, and `price` requests for each company that
 * they found.
 */
export function* spendRest(state: CrawlState): Task<void> {
  const { deferred, second, price } = state;
  const budget = state.budget();
  for (;;) {
    if (isBeyondReason(state)) break;
    let room = budget + price * second.found - second.requests;
    const open = deferred
      .filter(({ best }) => best !== null)
      .sort((a, b) => byPrice(a.best!, b.best!) || (a.id < b.id ? -1 : 1));
    const chosen = open.filter(({ best }) => {
      if (best!.cost > room) return false;
      room -= best!.cost;
      return true;
    });
    if (chosen.length === 0) break;
    const running = [];
    for (const passes of chosen) running.push(yield* fork(passes.further()));
    yield* join(running);
  }
  for (const passes of deferred) passes.explain();
}

/** The second passes over one segment, with their cost so far. */
class SecondPasses implements DeferredPasses {
  private offers: readonly Offer[] = [];
  private rest: readonly Dimension[];
  private reached: readonly Choice[];
  private readonly known: ReadonlySet<string>;
  private readonly before: { cost: number; distinct: number };
  private booked = { cost: 0, distinct: 0 };

  constructor(
    private readonly state: CrawlState,
    private readonly split: Split,
    private readonly outer: (Hunt & { hunted: number | null }) | null,
    private readonly walk: Walk,
  ) {
    const { segment, choice, rest } = split;
    this.rest = rest;
    this.reached = [...(outer?.reached ?? []), choice];
    this.known = new Set(segment.found);
    this.before = this.booked = { cost: segment.cost, distinct: segment.distinct };
  }

  get id(): string {
    return this.split.segment.id;
  }

  /** The pass that needs the fewest requests per company; null if no pass can find a company. */
  get best(): Offer | null {
    return this.offers[0] ?? null;
  }

  /** Returns how many requests a pass may cost. */
  room({ gain }: Offer): number {
    const { segment } = this.split;
    const { price } = this.state;
    const earned = price * (segment.distinct - this.before.distinct) - (segment.cost - this.before.cost);
    const trial = price * Math.max(LEAST_TRIAL, TRIAL * (segment.total / this.state.size));
    if (!segment.uncounted) return Math.min(price * gain, trial + earned);
    const trust = TRUST * Math.max(LEAST_TRUST, segment.total / this.state.size);
    return trust + earned;
  }

  /** Finds the passes that can still find missing companies, and stores them in `offers`. */
  *look(): Task<void> {
    const wanted = this.wanted();
    this.offers = wanted > 0 ? yield* offersFor(this.state, this.split.segment, this.rest, wanted) : [];
  }

  /** Counts the companies that the best pass can find. If they are already counted, runs the pass instead. */
  *goOn(): Task<void> {
    const [best, ...others] = this.offers;
    if (!best) return;
    if (best.counted) {
      yield* this.run(best);
      yield* this.look();
      return;
    }
    const counted = yield* countOffer(this.state, this.split.segment, best, this.hunt());
    this.offers = [counted, ...others].filter(({ gain }) => gain > 0).sort(byPrice);
  }

  private *run({ choice, cost, gain }: Offer): Task<void> {
    const { segment } = this.split;
    const { cost: spent, distinct } = segment;
    this.rest = this.rest.filter((dimension) => dimension !== choice.dimension);
    segment.splitBy.push(choice.dimension.key);
    segment.merged = true;
    const price = Math.max(this.state.price, cost / gain);
    const floor = this.outer ? 0 : SMALL_PASS;
    const enough = (): boolean =>
      this.wanted() === 0 || segment.cost - spent > floor + price * (cost / 3 + segment.distinct - distinct);
    yield* this.walk(this.state, { segment, choice, rest: this.rest, hunt: this.hunt(), enough });
    segment.distinct = segment.found.size;
    // If the search is thorough, later passes may also look for companies that this sweep missed. So the dimension counts as searched only if the sweep missed none.
    const whole =
      !this.state.thorough ||
      segment.children.every(
        (child) =>
          child.state === 'calibration' || !(choice.facts.splitField.key in child.filters) || missingOf(child) === 0,
      );
    if (whole) this.reached = [...this.reached, choice];
  }

  /** Runs or counts the best pass, after the search of this segment and of all segments above it has ended. */
  *further(): Task<void> {
    const { segment } = this.split;
    yield* this.goOn();
    this.book();
    for (let above: Segment | null = segment; above; above = above.parent) {
      for (const id of segment.found) above.found.add(id);
      above.distinct = above.found.size;
      if (above.state === 'remainder' && missingOf(above) === 0) above.state = 'split';
    }
  }

  /** Adds to the totals of all second passes what this segment's passes have used and found since the last call. */
  book(): void {
    const { cost, distinct } = this.split.segment;
    this.state.second.requests += cost - this.booked.cost;
    this.state.second.found += distinct - this.booked.distinct;
    this.booked = { cost, distinct };
  }

  /** Writes into the segment why companies are missing, and which passes would be too expensive. */
  explain(): void {
    const { segment } = this.split;
    const { price: limit, second } = this.state;
    const further = this.offers.map(({ choice, cost, gain }) => ({
      dimension: choice.dimension.key,
      requests: Math.ceil(cost),
      companies: Math.ceil(gain),
    }));
    const capped = segment.notes.find(({ code }) => code === 'totals_capped');
    if (segment.uncounted) segment.shortfall = capped ?? plainReason('no_value_uncounted');
    else if (further.length === 0) segment.shortfall = plainReason('no_value');
    else segment.shortfall = { code: 'too_expensive', values: { limit, ...second, further } };
    restate(segment);
  }

  private hunt(): Hunt {
    const { known, outer, reached } = this;
    return { reached, knows: (id) => known.has(id) || (outer?.knows(id) ?? false) };
  }

  /** Returns how many companies this search still has to find. */
  private wanted(): number {
    const { outer } = this;
    const { segment } = this.split;
    const missing = segment.uncounted ? segment.total : missingOf(segment);
    if (!outer || outer.hunted === null) return missing;
    return Math.min(missing, Math.max(0, outer.hunted - newIn(segment, outer)));
  }
}

/** Replaces the reason of a segment where the segments above quote it. */
function restate({ id, parent, shortfall }: Segment): void {
  if (shortfall === null) return;
  for (let above = parent; above; above = above.parent)
    above.notes = above.notes.map((note) => (note.segment === id ? { ...shortfall, segment: id } : note));
}
