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
export function* askFirst(state: CrawlState, segment: Segment, purpose: 'segment' | 'calibration'): Task<SearchAnswer> {
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

/** Asks windows of an axis on the market as a whole, as calibration segments. `value`: instead of a window's own. */
export function probing(state: CrawlState, axis: Axis): (window: Window, value?: unknown) => Task<SearchAnswer> {
  return function* (window, value) {
    const [filter, name] = value === undefined ? [axis.filter(window), axis.name(window)] : [value, 'none'];
    const segment = state.tree.child(state.tree.root, axis.key, filter, name);
    const answer = yield* askFirst(state, segment, 'calibration');
    segment.state ??= 'calibration';
    return answer;
  };
}
