import { costOf, usable, type Choice } from './calibration/choose-dimension.js';
import type { CrawlState, Pass } from './crawl-state.js';
import { askFirst } from './questions.js';
import type { Task } from './tasks.js';
import type { Segment } from './tree.js';
import { isRefused, type Dimension } from './types.js';

// A pass that costs at most this many requests runs at once, without a count of the companies that it can find.
const NOT_WORTH_COUNTING = 8;
// To count the companies without a value in n dimensions takes 2^n requests. So count with at most this many
// dimensions.
const MOST_COUNTED = 3;

/**
 * Describes a search for certain companies of a segment: earlier passes cannot find these companies, because the
 * companies have no value in the dimensions of those passes.
 */
export interface Hunt {
  /** Dimensions of the earlier passes. The companies to find have no value in any of them. */
  reached: readonly Choice[];
  /** Returns whether an earlier pass found the company. */
  knows(id: string): boolean;
}

/** A possible second pass along one dimension. */
export interface Offer {
  choice: Choice;
  /** Estimated number of requests. */
  cost: number;
  /** The largest number of companies that this pass can find. */
  gain: number;
  /** Whether `gain` is final. True if the companies were counted, or if a count would cost too many requests. */
  counted: boolean;
}

/** Counts the companies of a segment that no earlier pass found. */
export function newIn(segment: Segment, hunt: Hunt): number {
  let found = 0;
  for (const id of segment.found) if (!hunt.knows(id)) found += 1;
  return found;
}

/**
 * Returns the possible second passes over a segment. Each has `wanted` as `gain`, until `countOffer` counts the
 * companies that the pass can find.
 */
export function* offersFor(
  state: CrawlState,
  segment: Segment,
  dimensions: readonly Dimension[],
  wanted: number,
): Task<Offer[]> {
  const choices = yield* usable(state, dimensions);
  return choices
    .map((choice) => ({ choice, cost: costOf(state, segment.total, choice.facts), gain: wanted, counted: false }))
    .sort(byPrice);
}

/** Counts the companies that a pass can find and that no earlier pass could find. Sets `gain` to this number. */
export function* countOffer(state: CrawlState, segment: Segment, offer: Offer, { reached }: Hunt): Task<Offer> {
  const { choice, cost, gain } = offer;
  const { key, everybody } = choice.facts.splitField;
  if (state.thorough || cost <= NOT_WORTH_COUNTING || segment.uncounted || everybody === null)
    return { ...offer, counted: true };
  const reachable = yield* countOutside(state, segment, [[key, everybody]], reached);
  return { ...offer, gain: Math.min(gain, reachable ?? gain), counted: true };
}

/** Compares two passes by their estimated requests per company. The cheaper pass comes first. */
export function byPrice(a: Pass, b: Pass): number {
  return a.cost / a.gain - b.cost / b.gain || (a.choice.dimension.key < b.choice.dimension.key ? -1 : 1);
}

/**
 * Returns an upper limit for the number of companies of a segment that have no value in the dimensions of earlier
 * passes. Returns null if the API cannot count them, if reading the whole segment costs no more requests than counting,
 * or if the search is thorough.
 */
export function* countHunted(state: CrawlState, segment: Segment, { reached }: Hunt): Task<number | null> {
  const pages = Math.ceil(segment.total / state.size);
  if (state.thorough) return null;
  if (pages <= 2 ** (Math.min(MOST_COUNTED, reached.length) + 1)) return null;
  return yield* countOutside(state, segment, [], reached);
}

/**
 * Counts the companies of a segment that match the filters `under` and have no value in any dimension of `reached`.
 * Subtracts the totals of companies that have a value, for at most MOST_COUNTED dimensions. So the count may be too
 * high, but never too low.
 */
function* countOutside(
  state: CrawlState,
  segment: Segment,
  under: readonly (readonly [key: string, value: unknown])[],
  reached: readonly Choice[],
): Task<number | null> {
  const reaching = reached
    .toSorted((a, b) => b.facts.share - a.facts.share)
    .flatMap(({ facts: { splitField } }) =>
      splitField.everybody ? [[splitField.key, splitField.everybody] as const] : [],
    )
    .slice(0, MOST_COUNTED);
  return yield* inclusionExclusion(state, segment, under, reaching);
}

function* inclusionExclusion(
  state: CrawlState,
  segment: Segment,
  under: readonly (readonly [key: string, value: unknown])[],
  [first, ...rest]: readonly (readonly [key: string, value: unknown])[],
): Task<number | null> {
  if (!first) return yield* totalOf(state, segment, under);
  const inside = yield* inclusionExclusion(state, segment, [...under, first], rest);
  if (inside === null) return null;
  const all = yield* inclusionExclusion(state, segment, under, rest);
  return all === null ? null : Math.max(0, all - inside);
}

/**
 * Returns the API's total for a segment with the further filters `under`. Returns null if the API refuses this search
 * or caps the total.
 */
function* totalOf(
  state: CrawlState,
  segment: Segment,
  under: readonly (readonly [key: string, value: unknown])[],
): Task<number | null> {
  let part = segment;
  for (const [key, value] of under) {
    part = state.tree.child(part, key, value, 'any');
    part.state ??= 'calibration';
  }
  if (part === segment) return segment.total < state.totalsCap ? segment.total : null;
  const asked = part.pages === 0;
  const answer = yield* askFirst(state, part, 'guess');
  if (isRefused(answer)) return null;
  if (asked) segment.cost += 1;
  for (const id of part.found) segment.found.add(id);
  return answer.total < state.totalsCap ? answer.total : null;
}
