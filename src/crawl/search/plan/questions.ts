import type { SplitField } from './split-field.js';
import type { CrawlState } from './crawl-state.js';
import { ask, type SearchAsk, type Task } from './tasks.js';
import { addPage, type Segment } from './tree.js';
import { isRefused, type Purpose, type SearchAnswer, type Window } from './types.js';

/**
 * Returns the request for a page of a segment. `again` distinguishes a deliberate repetition from the first request.
 */
export function pageAsk(
  state: CrawlState,
  segment: Segment,
  page: number,
  purpose: Purpose,
  again?: string,
): SearchAsk {
  const request = { segment: segment.id, filters: segment.filters, page, per_page: state.perPage, purpose };
  return again === undefined ? request : { ...request, again };
}

/**
 * Requests page 1 of a segment and adds the page to the segment. If calibration has already added the page, it is not
 * added twice.
 */
export function* askFirst(
  state: CrawlState,
  segment: Segment,
  purpose: 'segment' | 'calibration' | 'guess',
): Task<SearchAnswer> {
  const answer = yield* ask(pageAsk(state, segment, 1, purpose));
  if (!isRefused(answer) && segment.pages === 0) addPage(segment, answer);
  return answer;
}

/** Requests page 1 of a segment again. Does not add the page to the segment. */
export function askAgain(
  state: CrawlState,
  segment: Segment,
  purpose: 'again' | 'final' = 'again',
  mark = '2',
): Task<SearchAnswer> {
  return ask(pageAsk(state, segment, 1, purpose, mark));
}

/**
 * Returns a function that requests page 1 of a window. The function adds the window to the tree of segments, as a
 * calibration segment below the root.
 */
export function probing(state: CrawlState, splitField: SplitField): (window: Window) => Task<SearchAnswer> {
  return (window) =>
    probe(state, state.tree.child(state.tree.root, splitField.key, splitField.filter(window), splitField.name(window)));
}

/** Searches for the market's companies without a value. `value` is a filter value that may select them. */
export function guessNullValue(state: CrawlState, splitField: SplitField, value: unknown): Task<SearchAnswer> {
  return probe(state, state.tree.child(state.tree.root, splitField.key, value, 'none'), 'guess');
}

function* probe(
  state: CrawlState,
  segment: Segment,
  purpose: 'calibration' | 'guess' = 'calibration',
): Task<SearchAnswer> {
  const answer = yield* askFirst(state, segment, purpose);
  segment.state ??= 'calibration';
  return answer;
}
