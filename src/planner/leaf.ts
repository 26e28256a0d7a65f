import type { CrawlState } from './crawl-state.js';
import { isBeyondReason } from './fence.js';
import { pageAsk } from './questions.js';
import { ask, askAll, type SearchAsk, type Task } from './tasks.js';
import { addPage, missingOf, type Segment } from './tree.js';
import { isRefused, type PageAnswer, type SearchAnswer } from './types.js';

/**
 * Reads a segment at or below the cap to its end; page 1 is `first`. A leaf whose pages do not add up to its total, or
 * whose total changed between its pages (a company that left may hide one that was skipped), is asked again once: that
 * tells companies that moved from companies that are counted but never listed.
 * @returns false when the market's pages go on to the last one shown whatever its total says: then totals end at this number,
 * and the segment is not settled
 */
export function* readLeaf(state: CrawlState, leaf: Segment, first: PageAnswer): Task<boolean> {
  let pages = yield* readPages(state, leaf, first, Math.ceil(first.total / state.size));
  // Pages may be shorter than calibrated; go on while they still bring something.
  while (missingOf(leaf) > 0 && pages.length < state.pages && pages.at(-1)!.ids.length > 0) {
    pages = yield* readPages(state, leaf, first, Math.max(pages.length + 1, first.totalPages), pages);
  }
  // A last page with more than the total has room for: the total is too small, and the list may go on.
  while (listsMore(pages, leaf.total) && pages.at(-1)!.ids.length >= state.size && pages.length < state.pages) {
    pages = yield* readPages(state, leaf, first, pages.length + 1, pages);
  }
  if (!leaf.parent && listsMore(pages, leaf.total) && pages.length >= state.pages) {
    state.noteCappedTotals(leaf.total);
    if (state.totalsCap === leaf.total) return false;
  }
  const moved = pages.some((page) => page.total !== first.total);
  if (moved || missingOf(leaf) > 0) yield* readAgain(state, leaf, pages, moved);
  if (missingOf(leaf) > 0) {
    leaf.shortfall = `its pages listed ${leaf.distinct} of ${leaf.total} companies, also when asked again`;
  }
  if (!moved && listsMore(pages, leaf.total) && leaf.distinct > leaf.total) {
    leaf.uncounted = true;
    leaf.shortfall = `its pages list ${leaf.distinct} companies and its total says ${leaf.total}: that total cannot be believed`;
  }
  state.tree.settle(leaf, !moved && leaf.distinct === leaf.total ? 'leaf' : 'drifted');
  return true;
}

/** Whether pages hold more rows than a total says. */
function listsMore(pages: readonly PageAnswer[], total: number): boolean {
  return pages.reduce((rows, page) => rows + page.ids.length, 0) > total;
}

/**
 * Whether pages go on after the last one that the market's total has room for: then totals end at this number. Only a
 * total that fills its last page, and that no other exceeds, can be such an end.
 */
export function* goesOn(state: CrawlState, segment: Segment, { total, ids }: PageAnswer): Task<boolean> {
  const pages = total / state.size;
  if (segment.parent || ids.length === 0 || !Number.isInteger(pages) || pages >= state.pages) return false;
  const beyond = yield* ask(pageAsk(state, segment, pages + 1, 'page'));
  if (isRefused(beyond) || beyond.ids.length === 0) return false;
  state.noteCappedTotals(total);
  return state.totalsCap === total;
}

/** Reads what a search above the cap shows, since there is no better way to its companies. */
export function* readTop(state: CrawlState, segment: Segment, first: PageAnswer): Task<void> {
  if (!isBeyondReason(state)) yield* readPages(state, segment, first, state.pages);
}

/** Pages after those known, up to number `to`, all at once. */
function* readPages(
  state: CrawlState,
  leaf: Segment,
  first: PageAnswer,
  to: number,
  known: PageAnswer[] = [first],
): Task<PageAnswer[]> {
  const asks: SearchAsk[] = [];
  for (let page = known.length + 1; page <= Math.min(to, state.pages); page++)
    asks.push(pageAsk(state, leaf, page, 'page'));
  if (asks.length === 0) return known;
  const pages = (yield* askAll(asks)).map(asPage(first));
  for (const page of pages) addPage(leaf, page);
  return [...known, ...pages];
}

function* readAgain(state: CrawlState, leaf: Segment, pages: PageAnswer[], moved: boolean): Task<void> {
  const rows = pages.reduce((sum, page) => sum + page.ids.length, 0);
  const short = pages.findIndex(
    (page, i) => page.ids.length < (i < pages.length - 1 ? state.size : leaf.total - i * state.size),
  );
  // Rows repeated on several pages mean that the order moved: any page may hide something. Otherwise a page that came
  // back short is tried first, and only if it says something new are the others.
  const probe = moved || rows > leaf.distinct || short < 0 ? null : short;
  if (probe !== null) {
    const before = leaf.distinct;
    const again = asPage(pages[probe]!)(yield* ask(pageAsk(state, leaf, probe + 1, 'again', '2')));
    addPage(leaf, again);
    if (leaf.distinct === before && again.ids.length === pages[probe]!.ids.length) return;
  }
  const rest = pages.flatMap((_, i) => (i === probe ? [] : [pageAsk(state, leaf, i + 1, 'again', '2')]));
  for (const answer of yield* askAll(rest)) addPage(leaf, asPage(pages[0]!)(answer));
}

/** A page that is refused holds nothing; the segment's total stays what it was. */
function asPage(like: PageAnswer): (answer: SearchAnswer) => PageAnswer {
  return (answer) => (isRefused(answer) ? { total: like.total, totalPages: like.totalPages, ids: [] } : answer);
}
