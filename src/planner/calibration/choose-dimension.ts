import type { DimensionFacts } from './dimension-facts.js';
import { calibrateDimension, isFixed } from './calibrate-dimension.js';
import type { CrawlState } from '../crawl-state.js';
import { fork, join, type Task } from '../tasks.js';
import type { Dimension } from '../types.js';

// In some dimensions, not every company has a value. Such a dimension is still preferred to overlapping values if at
// least this share of the market's companies has a value.
export const GOOD_REACH = 0.8;
// A dimension is coarse when its last 365 positions hold, on average, more than this share of the page cap.
const RECENT = 365;
const COARSE = 0.25;
// Replaces `COARSE` when the warehouse has the number of companies of each position.
const COARSE_KNOWN = 0.5;
// Estimated requests of a sweep for each full page.
const SWEEP_COST = 1.1;
// Estimate of how often a split by overlapping values lists each company.
const OVERLAP = 2;

/** A dimension and its calibration. */
export interface Choice {
  dimension: Dimension;
  facts: DimensionFacts;
}

/**
 * Returns the dimension by which to split a segment of `total` companies. Takes the first dimension in which every
 * company has a value, else the one with the most companies. Finding companies without a value takes a second pass over
 * the whole segment.
 * @param hidden companies that the segment's own pages do not show
 * @returns null when no dimension is worth its requests
 */
export function* chooseDimension(
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
  // All dimensions left have a disadvantage: many companies lack a value, values overlap, or each value needs its own
  // search.
  const complete = (yield* usable(state, dimensions)).find(({ facts }) => facts.complete);
  if (complete && (!worth[0] || pays(state, total / 2, complete.facts))) return complete;
  // Take an expensive dimension if it costs at most `requestsPerCompany` requests for each company that the segment's
  // own pages do not show.
  const expensive = second.filter(({ facts }) => costOf(state, total, facts) <= state.requestsPerCompany * hidden);
  return worth[0] ?? expensive.toSorted(byReach)[0] ?? null;
}

/** Returns the first dimension by which the API filters; null when there is none. */
export function* firstUsable(state: CrawlState): Task<DimensionFacts | null> {
  for (const dimension of inOrder(state.input.dimensions)) {
    if (isFixed(dimension, state.input.filters)) continue;
    const facts = yield* factsOf(state, dimension);
    if (facts) return facts;
  }
  return null;
}

/** Returns every dimension by which the API filters. The dimension with a value for the most companies comes first. */
export function* usable(state: CrawlState, dimensions: readonly Dimension[]): Task<Choice[]> {
  const choices: Choice[] = [];
  for (const dimension of inOrder(dimensions)) {
    if (isFixed(dimension, state.input.filters)) continue;
    const facts = yield* factsOf(state, dimension);
    if (facts) choices.push({ dimension, facts });
  }
  return choices.sort(byReach);
}

/** Returns the facts of a dimension. Calibrates each dimension once in a plan, when its facts are first needed. */
export function* factsOf(state: CrawlState, dimension: Dimension): Task<DimensionFacts | null> {
  let fiber = state.facts.get(dimension);
  if (!fiber) {
    fiber = yield* fork(calibrateDimension(state, dimension));
    state.facts.set(dimension, fiber);
  }
  return (yield* join([fiber]))[0]!;
}

/**
 * Sorts dimensions: first dates, then disjoint values, overlapping values, and numbers. Dates are cheap to sweep. Many
 * companies have no numbers.
 */
function inOrder(dimensions: readonly Dimension[]): Dimension[] {
  const rank = (d: Dimension): number => (d.kind === 'range' ? (d.type === 'date' ? 0 : 3) : isOverlapping(d) ? 2 : 1);
  return [...dimensions].sort((a, b) => rank(a) - rank(b));
}

function isOverlapping(dimension: Dimension): boolean {
  return dimension.kind === 'categorical' && dimension.overlapping === true;
}

/**
 * Returns false when a split would cost much more than the segment's own pages. Overlapping values list companies
 * several times, so such a split must bring all parts below the page cap. If a search accepts only one value, the split
 * costs one search for each value.
 */
function pays(state: CrawlState, total: number, { splitField }: DimensionFacts): boolean {
  const values = splitField.hi - splitField.lo + 1;
  if (!splitField.windows && values * state.size > total) return false;
  return !splitField.overlapping || total <= (state.cap * values) / 2;
}

/** Estimates the requests of a sweep along a dimension over a segment of `total` companies. */
export function costOf(state: CrawlState, total: number, { splitField, share }: DimensionFacts): number {
  const reading = (total / state.size) * share * SWEEP_COST * (splitField.overlapping ? OVERLAP : 1);
  return Math.ceil(Math.max(reading, splitField.windows ? 0 : splitField.hi - splitField.lo + 1));
}

/** Returns whether single recent days hold many companies. Windows of whole days would then leave pages half empty. */
function isCoarse(state: CrawlState, total: number, { splitField, shape, share, exact }: DimensionFacts): boolean {
  const recent = Math.min(splitField.hi - splitField.lo + 1, RECENT);
  return (
    splitField.ordered &&
    (total * share * shape.mass(splitField.hi - recent + 1, splitField.hi)) / recent >
      (exact ? COARSE_KNOWN : COARSE) * state.cap
  );
}

/** Returns whether calibrating these overlapping values is worth its requests. */
function fits(state: CrawlState, total: number, dimension: Dimension): boolean {
  return dimension.kind === 'categorical' && total <= (state.cap * dimension.values.length) / 2;
}

function byReach(a: Choice, b: Choice): number {
  return b.facts.share - a.facts.share;
}
