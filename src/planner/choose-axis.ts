import type { AxisFacts } from './axis-facts.js';
import { calibrateAxis, isFixed } from './calibrate-axis.js';
import type { CrawlState } from './crawl-state.js';
import { fork, join, type Task } from './tasks.js';
import type { Dimension } from './types.js';

// An incomplete dimension that reaches this share of the market goes before overlapping values.
export const GOOD_REACH = 0.8;
// Positions looked at, from the end, and the share of the cap that one of them may hold.
const RECENT = 365;
const COARSE = 0.25;
// The same where the warehouse knows how many companies each position holds.
const COARSE_KNOWN = 0.5;
// Requests of a sweep for each full page it finds, and times a company comes up among overlapping values, roughly.
const SWEEP_COST = 1.1;
const OVERLAP = 2;

export interface Choice {
  dimension: Dimension;
  facts: AxisFacts;
}

/**
 * The dimension to split a segment of `total` companies by: the first that loses nobody, else the one that reaches
 * most. Splitting along an incomplete dimension first looks cheap, but whoever it loses costs a second pass over the
 * whole segment; splitting along complete ones first needs one pass.
 * @param hidden companies that the segment's own pages do not show
 */
export function* chooseAxis(
  state: CrawlState,
  total: number,
  dimensions: readonly Dimension[],
  hidden = total - state.cap,
): Task<Choice | null> {
  const second: Choice[] = [];
  const knownOnly = state.requestsPerCompany === 0;
  for (const dimension of inOrder(dimensions)) {
    if (isFixed(dimension, state.input.filters) || (isOverlapping(dimension) && !fits(state, total, dimension)))
      continue;
    const facts = yield* factsOf(state, dimension);
    if (!facts) continue;
    const choice = { dimension, facts };
    const reaches = facts.complete || (knownOnly && facts.share >= GOOD_REACH && !isCoarse(state, total, facts));
    if (reaches && pays(state, total, facts)) return choice;
    second.push(choice);
  }
  const worth = second.filter(({ facts }) => pays(state, total, facts)).sort(byReach);
  if (worth[0] && worth[0].facts.share >= GOOD_REACH) return worth[0];
  // Figures many companies lack, or values that are dear: some held by a company several times, some asked one by one.
  const complete = (yield* usable(state, dimensions)).find(({ facts }) => facts.complete);
  if (complete && (!worth[0] || pays(state, total / 2, complete.facts))) return complete;
  // Values that make companies come several times, or that are asked one by one, where nothing else shows the others.
  const dear = second.filter(({ facts }) => costOf(state, total, facts) <= state.requestsPerCompany * hidden);
  return worth[0] ?? dear.toSorted(byReach)[0] ?? null;
}

/** The first dimension that filters, null when none does. */
export function* firstUsable(state: CrawlState): Task<AxisFacts | null> {
  for (const dimension of inOrder(state.input.dimensions)) {
    if (isFixed(dimension, state.input.filters)) continue;
    const facts = yield* factsOf(state, dimension);
    if (facts) return facts;
  }
  return null;
}

/** Every dimension that filters, the one that reaches most first. */
export function* usable(state: CrawlState, dimensions: readonly Dimension[]): Task<Choice[]> {
  const choices: Choice[] = [];
  for (const dimension of inOrder(dimensions)) {
    if (isFixed(dimension, state.input.filters)) continue;
    const facts = yield* factsOf(state, dimension);
    if (facts) choices.push({ dimension, facts });
  }
  return choices.sort(byReach);
}

/** What is known of a dimension; asked once per plan, by whoever needs it first. */
export function* factsOf(state: CrawlState, dimension: Dimension): Task<AxisFacts | null> {
  let fiber = state.facts.get(dimension);
  if (!fiber) {
    fiber = yield* fork(calibrateAxis(state, dimension));
    state.facts.set(dimension, fiber);
  }
  return (yield* join([fiber]))[0]!;
}

/** Dates first (fine and cheap to sweep), then disjoint values, then overlapping ones, then figures many lack. */
function inOrder(dimensions: readonly Dimension[]): Dimension[] {
  const rank = (d: Dimension): number => (d.kind === 'range' ? (d.type === 'date' ? 0 : 3) : isOverlapping(d) ? 2 : 1);
  return [...dimensions].sort((a, b) => rank(a) - rank(b));
}

function isOverlapping(dimension: Dimension): boolean {
  return dimension.kind === 'categorical' && dimension.overlapping === true;
}

/**
 * False where splitting would cost much more than the segment's own pages: overlapping values make companies come
 * several times, worth it only if one step brings the parts below the cap; values asked one by one cost one each.
 */
function pays(state: CrawlState, total: number, { axis }: AxisFacts): boolean {
  const values = axis.hi - axis.lo + 1;
  if (!axis.windows && values * state.size > total) return false;
  return !axis.overlapping || total <= (state.cap * values) / 2;
}

/** About how many requests a sweep along a dimension costs a segment of `total` companies. */
export function costOf(state: CrawlState, total: number, { axis, share }: AxisFacts): number {
  const reading = (total / state.size) * share * SWEEP_COST * (axis.overlapping ? OVERLAP : 1);
  return Math.ceil(Math.max(reading, axis.windows ? 0 : axis.hi - axis.lo + 1));
}

/** Whether single recent days hold so much that windows of whole days fill badly: then other values go first. */
function isCoarse(state: CrawlState, total: number, { axis, shape, share, exact }: AxisFacts): boolean {
  const recent = Math.min(axis.hi - axis.lo + 1, RECENT);
  return (
    axis.ordered &&
    (total * share * shape.mass(axis.hi - recent + 1, axis.hi)) / recent > (exact ? COARSE_KNOWN : COARSE) * state.cap
  );
}

/** Whether it is worth finding out more about overlapping values. */
function fits(state: CrawlState, total: number, dimension: Dimension): boolean {
  return dimension.kind === 'categorical' && total <= (state.cap * dimension.values.length) / 2;
}

function byReach(a: Choice, b: Choice): number {
  return b.facts.share - a.facts.share;
}
