import type { AxisFacts } from './axis-facts.js';
import { calibrateAxis, isFixed } from './calibrate-axis.js';
import type { CrawlState } from '../crawl-state.js';
import { fork, join, type Task } from '../tasks.js';
import type { Dimension } from '../types.js';

// An incomplete dimension that covers this share of the market is used before overlapping values.
export const GOOD_REACH = 0.8;
// An axis is coarse when its last 365 positions hold, on average, more than this share of the cap each.
const RECENT = 365;
const COARSE = 0.25;
// The same share when the warehouse knows the companies of each position.
const COARSE_KNOWN = 0.5;
// Requests of a sweep for each full page, and how often overlapping values list one company, roughly.
const SWEEP_COST = 1.1;
const OVERLAP = 2;

/** A dimension and its calibration. */
export interface Choice {
  dimension: Dimension;
  facts: AxisFacts;
}

/**
 * Returns the dimension to split a segment of `total` companies by.
 * Takes the first dimension that loses no company, else the one that covers most.
 * An incomplete dimension looks cheap, but its companies without a value cost a second pass over the whole segment.
 * Complete dimensions need only one pass.
 * @param hidden companies that the segment's own pages do not show
 * @returns null when no dimension is worth its requests
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
  // Only poor choices are left: values many companies lack, overlapping values, or values asked one by one.
  const complete = (yield* usable(state, dimensions)).find(({ facts }) => facts.complete);
  if (complete && (!worth[0] || pays(state, total / 2, complete.facts))) return complete;
  // Take an expensive dimension if it costs at most `requestsPerCompany` for each hidden company.
  const dear = second.filter(({ facts }) => costOf(state, total, facts) <= state.requestsPerCompany * hidden);
  return worth[0] ?? dear.toSorted(byReach)[0] ?? null;
}

/** Returns the first dimension that filters; null when none does. */
export function* firstUsable(state: CrawlState): Task<AxisFacts | null> {
  for (const dimension of inOrder(state.input.dimensions)) {
    if (isFixed(dimension, state.input.filters)) continue;
    const facts = yield* factsOf(state, dimension);
    if (facts) return facts;
  }
  return null;
}

/** Returns every dimension that filters, the one that covers most first. */
export function* usable(state: CrawlState, dimensions: readonly Dimension[]): Task<Choice[]> {
  const choices: Choice[] = [];
  for (const dimension of inOrder(dimensions)) {
    if (isFixed(dimension, state.input.filters)) continue;
    const facts = yield* factsOf(state, dimension);
    if (facts) choices.push({ dimension, facts });
  }
  return choices.sort(byReach);
}

/** Returns the facts of a dimension. Calibrates it once a plan, when first needed. */
export function* factsOf(state: CrawlState, dimension: Dimension): Task<AxisFacts | null> {
  let fiber = state.facts.get(dimension);
  if (!fiber) {
    fiber = yield* fork(calibrateAxis(state, dimension));
    state.facts.set(dimension, fiber);
  }
  return (yield* join([fiber]))[0]!;
}

/** Sorts dimensions: dates (cheap to sweep), disjoint values, overlapping values, numbers that many companies lack. */
function inOrder(dimensions: readonly Dimension[]): Dimension[] {
  const rank = (d: Dimension): number => (d.kind === 'range' ? (d.type === 'date' ? 0 : 3) : isOverlapping(d) ? 2 : 1);
  return [...dimensions].sort((a, b) => rank(a) - rank(b));
}

function isOverlapping(dimension: Dimension): boolean {
  return dimension.kind === 'categorical' && dimension.overlapping === true;
}

/**
 * Returns false when a split would cost much more than the segment's own pages.
 * Overlapping values list companies several times, which pays only if one split brings the parts below the cap. Values
 * asked one by one cost one request each.
 */
function pays(state: CrawlState, total: number, { axis }: AxisFacts): boolean {
  const values = axis.hi - axis.lo + 1;
  if (!axis.windows && values * state.size > total) return false;
  return !axis.overlapping || total <= (state.cap * values) / 2;
}

/** Estimates the requests of a sweep along a dimension over a segment of `total` companies. */
export function costOf(state: CrawlState, total: number, { axis, share }: AxisFacts): number {
  const reading = (total / state.size) * share * SWEEP_COST * (axis.overlapping ? OVERLAP : 1);
  return Math.ceil(Math.max(reading, axis.windows ? 0 : axis.hi - axis.lo + 1));
}

/** Returns whether single recent days hold so much that windows of whole days fill pages badly. */
function isCoarse(state: CrawlState, total: number, { axis, shape, share, exact }: AxisFacts): boolean {
  const recent = Math.min(axis.hi - axis.lo + 1, RECENT);
  return (
    axis.ordered &&
    (total * share * shape.mass(axis.hi - recent + 1, axis.hi)) / recent > (exact ? COARSE_KNOWN : COARSE) * state.cap
  );
}

/** Returns whether overlapping values are worth calibrating. */
function fits(state: CrawlState, total: number, dimension: Dimension): boolean {
  return dimension.kind === 'categorical' && total <= (state.cap * dimension.values.length) / 2;
}

function byReach(a: Choice, b: Choice): number {
  return b.facts.share - a.facts.share;
}
