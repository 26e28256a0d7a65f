import { asObject, type DimensionFacts } from './dimension-facts.js';
import { calibrateDimension } from './calibrate-dimension.js';
import type { CrawlState } from '../crawl-state.js';
import type { CategoricalDimension, Dimension } from '../types.js';
import { SWEEP_COST } from '../tolerances.js';

// If at least this share of the market's companies has a value in a dimension, prefer it to a dimension with overlapping
// values.
const GOOD_REACH = 0.8;
// A dimension is coarse if its last RECENT positions hold, on average, more than COARSE × the page cap.
const RECENT = 365;
const COARSE = 0.25;
// Used instead of `COARSE` if the warehouse knows how many companies each position has.
const COARSE_KNOWN = 0.5;
// Estimated number of times that a split by overlapping values lists the same company.
const OVERLAP = 2;

/**
 * Chooses the dimension by which to split a segment of `total` companies. Takes the first dimension in which every
 * company has a value; otherwise the dimension in which the most companies have one. To find the companies without a
 * value, a second pass over the whole segment is then needed.
 * @param hidden number of companies that the segment's own pages do not show
 * @returns null when no dimension is worth its requests
 */
export async function chooseDimension(
  state: CrawlState,
  total: number,
  dimensions: readonly Dimension[],
  hidden = total - state.cap,
): Promise<DimensionFacts | null> {
  const second: DimensionFacts[] = [];
  const knownOnly = state.price === 0;
  for (const dimension of inOrder(dimensions)) {
    // A split by overlapping values that does not pay is not worth a calibration either.
    if (isOverlapping(dimension) && total > (state.cap * dimension.values.length) / 2) continue;
    const facts = await factsOf(state, dimension);
    if (!facts) continue;
    const reaches = facts.complete || (knownOnly && facts.share >= GOOD_REACH && !isCoarse(state, total, facts));
    if (reaches && pays(state, total, facts)) return facts;
    second.push(facts);
  }
  const worth = second.filter((facts) => pays(state, total, facts)).sort(byReach);
  if (worth[0] && worth[0].share >= GOOD_REACH) return worth[0];
  // Each dimension that is left has a disadvantage: many companies have no value, values overlap, or each value needs a
  // separate search.
  const complete = (await usable(state, dimensions)).find((facts) => facts.complete);
  if (complete && (!worth[0] || pays(state, total / 2, complete))) return complete;
  // Accept an expensive dimension if it costs at most `price` requests for each hidden company.
  const expensive = second.filter((facts) => costOf(state, total, facts) <= state.price * hidden);
  return worth[0] ?? expensive.toSorted(byReach)[0] ?? null;
}

/** Returns the facts of the first dimension by which the API filters; null if the API filters by none. */
export async function firstUsable(state: CrawlState): Promise<DimensionFacts | null> {
  for (const dimension of inOrder(state.input.dimensions)) {
    const facts = await factsOf(state, dimension);
    if (facts) return facts;
  }
  return null;
}

/** Returns every dimension by which the API filters. The first is the one in which the most companies have a value. */
export async function usable(state: CrawlState, dimensions: readonly Dimension[]): Promise<DimensionFacts[]> {
  const found: DimensionFacts[] = [];
  for (const dimension of inOrder(dimensions)) {
    const facts = await factsOf(state, dimension);
    if (facts) found.push(facts);
  }
  return found.sort(byReach);
}

/**
 * Returns the facts of a dimension; null if it cannot split the market. A plan calibrates each dimension once, when it
 * first needs the facts.
 */
async function factsOf(state: CrawlState, dimension: Dimension): Promise<DimensionFacts | null> {
  if (isFixed(dimension, state.input.filters[dimension.key])) return null;
  const facts = state.facts.get(dimension) ?? calibrateDimension(state, dimension);
  state.facts.set(dimension, facts);
  return facts;
}

/**
 * Sorts dimensions: first dates, then disjoint values, overlapping values, and last numbers. Dates come first because
 * they are cheap to sweep. Numbers come last because many companies have none.
 */
function inOrder(dimensions: readonly Dimension[]): Dimension[] {
  const rank = (d: Dimension): number => (d.kind === 'range' ? (d.type === 'date' ? 0 : 3) : isOverlapping(d) ? 2 : 1);
  return [...dimensions].sort((a, b) => rank(a) - rank(b));
}

function isOverlapping(dimension: Dimension): dimension is CategoricalDimension {
  return dimension.kind === 'categorical' && dimension.overlapping === true;
}

/**
 * Returns whether a split along a dimension is worth its requests, compared with the segment's own pages. Overlapping
 * values list companies several times, so such a split is worth it only if it brings all parts below the page cap. If a
 * search accepts only one value, the split costs one search for each value.
 */
function pays(state: CrawlState, total: number, { splitField }: DimensionFacts): boolean {
  const values = splitField.hi - splitField.lo + 1;
  if (!splitField.windows && values * state.size > total) return false;
  return !splitField.overlapping || total <= (state.cap * values) / 2;
}

/** Estimates the number of requests of a sweep along a dimension, for a segment of `total` companies. */
export function costOf(state: CrawlState, total: number, { splitField, share }: DimensionFacts): number {
  const reading = (total / state.size) * share * SWEEP_COST * (splitField.overlapping ? OVERLAP : 1);
  return Math.ceil(Math.max(reading, splitField.windows ? 0 : splitField.hi - splitField.lo + 1));
}

/**
 * Returns whether single recent days hold many companies. A window of whole days would then often leave its last page
 * half empty.
 */
function isCoarse(state: CrawlState, total: number, { splitField, shape, share, exact }: DimensionFacts): boolean {
  const recent = Math.min(splitField.hi - splitField.lo + 1, RECENT);
  return (
    splitField.ordered &&
    (total * share * shape.mass(splitField.hi - recent + 1, splitField.hi)) / recent >
      (exact ? COARSE_KNOWN : COARSE) * state.cap
  );
}

/** Returns whether the market's own filter leaves only one value of the dimension. */
function isFixed({ kind }: Dimension, own: unknown): boolean {
  if (own === undefined) return false;
  return kind === 'categorical' ? !Array.isArray(own) || own.length < 2 : asObject(own) === null;
}

function byReach(a: DimensionFacts, b: DimensionFacts): number {
  return b.share - a.share;
}
