import { costOf, usable, type Choice } from './choose-axis.js';
import type { CrawlState } from './crawl-state.js';
import { askFirst } from './questions.js';
import type { Task } from './tasks.js';
import type { Segment } from './tree.js';
import { isRefused, type Dimension } from './types.js';

// A pass of this many requests is made without counting first what it can find.
const NOT_WORTH_COUNTING = 8;
// From this price on nothing is left untried: a count may miss whoever moves, or lies in a part that was cut short.
export const THOROUGH = 10;
// To count companies without a value in this many dimensions takes 2 to the power of it requests.
const MOST_COUNTED = 3;

/** A search for the companies that earlier passes over a segment could not reach. */
export interface Hunt {
  /** Dimensions these passes split by: the companies looked for have no value in any of them. */
  reached: readonly Choice[];
  /** Whether an earlier pass found the company. */
  knows(id: string): boolean;
}

/** A second pass along a dimension. */
export interface Offer {
  choice: Choice;
  /** About how many requests it takes. */
  cost: number;
  /** Companies it can find at most. */
  gain: number;
  /** Whether `gain` was counted, as far as that is worth it. */
  counted: boolean;
}

/** Companies of a segment that no earlier pass found. */
export function newIn(segment: Segment, hunt: Hunt): number {
  let found = 0;
  for (const id of segment.found) if (!hunt.knows(id)) found += 1;
  return found;
}

/** Second passes that may find `wanted` companies at most; none of them is counted yet. */
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

/** Counts how many of the companies that earlier passes could not reach a pass can find. */
export function* countOffer(state: CrawlState, segment: Segment, offer: Offer, { reached }: Hunt): Task<Offer> {
  const { choice, cost, gain } = offer;
  const { key, everybody } = choice.facts.axis;
  if (state.requestsPerCompany >= THOROUGH || cost <= NOT_WORTH_COUNTING || segment.uncounted || everybody === null)
    return { ...offer, counted: true };
  const reachable = yield* countOutside(state, segment, [[key, everybody]], reached);
  return { ...offer, gain: Math.min(gain, reachable ?? gain), counted: true };
}

/** Fewest requests for each company first. */
export function byPrice(a: Offer, b: Offer): number {
  return a.cost / a.gain - b.cost / b.gain || (a.choice.dimension.key < b.choice.dimension.key ? -1 : 1);
}

/**
 * Companies of a segment that earlier passes could not reach, at most; null where they cannot be counted, or where it is as
 * cheap to read the segment.
 */
export function* countHunted(state: CrawlState, segment: Segment, { reached }: Hunt): Task<number | null> {
  const pages = Math.ceil(segment.total / state.size);
  if (state.requestsPerCompany >= THOROUGH) return null;
  if (pages <= 2 ** (Math.min(MOST_COUNTED, reached.length) + 1)) return null;
  return yield* countOutside(state, segment, [], reached);
}

/**
 * Companies of a segment with the values `under`, that have no value in any dimension of `reached`, by differences of
 * totals. Never too low, since only some of these dimensions are counted.
 */
function* countOutside(
  state: CrawlState,
  segment: Segment,
  under: readonly (readonly [key: string, value: unknown])[],
  reached: readonly Choice[],
): Task<number | null> {
  const axes = reached
    .toSorted((a, b) => b.facts.share - a.facts.share)
    .flatMap(({ facts: { axis } }) => (axis.everybody ? [[axis.key, axis.everybody] as const] : []))
    .slice(0, MOST_COUNTED);
  return yield* inclusionExclusion(state, segment, under, axes);
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

/** The API's total of a segment under further filters; null where it is refused, or only says "at least". */
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
