import type { Axis } from './axis.js';
import type { CrawlState } from './crawl-state.js';
import { ask, type SearchAsk, type Task } from './tasks.js';
import { addPage, type Segment } from './tree.js';
import { isRefused, type Purpose, type SearchAnswer, type Window } from './types.js';

/** The ask for a page of a segment; `again` tells a deliberate repetition from the first time of asking. */
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

/** Page 1 of a segment, counted once however often it is asked for (a calibration may have come before). */
export function* askFirst(
  state: CrawlState,
  segment: Segment,
  purpose: 'segment' | 'calibration' | 'guess',
): Task<SearchAnswer> {
  const answer = yield* ask(pageAsk(state, segment, 1, purpose));
  if (!isRefused(answer) && segment.pages === 0) addPage(segment, answer);
  return answer;
}

/** Page 1 of a segment once more; adds nothing to it. */
export function askAgain(
  state: CrawlState,
  segment: Segment,
  purpose: 'again' | 'final' = 'again',
  mark = '2',
): Task<SearchAnswer> {
  return ask(pageAsk(state, segment, 1, purpose, mark));
}

/** Asks windows of an axis on the market as a whole, as calibration segments. */
export function probing(state: CrawlState, axis: Axis): (window: Window) => Task<SearchAnswer> {
  return (window) => probe(state, state.tree.child(state.tree.root, axis.key, axis.filter(window), axis.name(window)));
}

/** Asks for the market's companies without a value, by a filter value that may select them. */
export function guessNullValue(state: CrawlState, axis: Axis, value: unknown): Task<SearchAnswer> {
  return probe(state, state.tree.child(state.tree.root, axis.key, value, 'none'), 'guess');
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
