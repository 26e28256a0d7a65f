import type { SplitField } from './split-field.js';
import type { CrawlState } from './crawl-state.js';
import type { Counted } from './shape.js';
import { addPage, type Segment } from './tree.js';
import {
  isRefused,
  type PageAnswer,
  type Purpose,
  type RefusedAnswer,
  type SearchAnswer,
  type Window,
} from './types.js';

/** Requests a page of a segment. `again` distinguishes a deliberate repetition from the first request. */
export function askPage(
  state: CrawlState,
  segment: Segment,
  page: number,
  purpose: Purpose,
  again?: string,
): Promise<SearchAnswer> {
  const { id, filters } = segment;
  return state.requests.search({ segment: id, filters, page, per_page: state.perPage, purpose, again });
}

/**
 * Requests page 1 of a segment and adds the page to the segment. If calibration has already added the page, it is not
 * added twice.
 */
export async function askFirst(
  state: CrawlState,
  segment: Segment,
  purpose: 'segment' | 'calibration' | 'guess',
): Promise<SearchAnswer> {
  const answer = await askPage(state, segment, 1, purpose);
  if (!isRefused(answer) && segment.pages === 0) addPage(segment, answer);
  return answer;
}

/** Requests page 1 of a segment again. Does not add the page to the segment. */
export function askAgain(
  state: CrawlState,
  segment: Segment,
  purpose: 'again' | 'final' = 'again',
  mark = '2',
): Promise<SearchAnswer> {
  return askPage(state, segment, 1, purpose, mark);
}

/** Requests page 1 of a window of the market. Adds the window to the tree, as a calibration segment below the root. */
export function probe(state: CrawlState, splitField: SplitField, window: Window): Promise<SearchAnswer> {
  return probePart(state, splitField.key, splitField.filter(window), splitField.name(window), 'calibration');
}

/** Searches for the market's companies without a value. `value` is a filter value that may select them. */
export function guessNullValue(state: CrawlState, key: string, value: unknown): Promise<SearchAnswer> {
  return probePart(state, key, value, 'none', 'guess');
}

async function probePart(
  state: CrawlState,
  key: string,
  value: unknown,
  name: string,
  purpose: 'calibration' | 'guess',
): Promise<SearchAnswer> {
  const segment = state.tree.child(state.tree.root, key, value, name);
  const answer = await askFirst(state, segment, purpose);
  segment.state ??= 'calibration';
  return answer;
}

/** Two neighbouring windows of a dimension. */
export interface Pair {
  /** Page 1 of both windows. */
  pages: readonly [PageAnswer, PageAnswer];
  counts: readonly [Counted, Counted];
  /** Sum of both totals. */
  sum: number;
}

/** Requests page 1 of two neighbouring windows. Returns why the dimension is unusable if the API refuses one of them. */
export async function probePair(
  state: CrawlState,
  splitField: SplitField,
  [first, second]: readonly [Window, Window],
): Promise<Pair | { unusable: string }> {
  const left = await probe(state, splitField, first);
  const right = isRefused(left) ? left : await probe(state, splitField, second);
  if (isRefused(left) || isRefused(right)) {
    const { refused } = right as RefusedAnswer;
    return { unusable: `the API refused ${splitField.key} (${refused})` };
  }
  const counts = [
    { ...first, count: left.total },
    { ...second, count: right.total },
  ] as const;
  return { pages: [left, right], counts, sum: left.total + right.total };
}
