import type { CrawlState } from './crawl-state.js';
import { askPage } from './questions.js';
import { addPage, missingOf, type Segment } from './tree.js';
import { isRefused, type PageAnswer, type SearchAnswer } from './types.js';

/**
 * Reads all pages of a segment at or below the page cap; `first` is page 1. If the number of rows differs from the
 * total, or if the total changed between pages, reads the pages a second time. The second reading shows why companies
 * are missing: they moved, or the API counts them but never lists them.
 * @returns false if the pages of the whole market hold more rows than its total. Then the API caps totals at this
 * number, and the segment gets no state yet.
 */
export async function readLeaf(state: CrawlState, leaf: Segment, first: PageAnswer): Promise<boolean> {
  let pages = await readPages(state, leaf, first, Math.ceil(first.total / state.size));
  // Pages may have fewer rows than in calibration. So read on as long as pages add companies.
  while (missingOf(leaf) > 0 && pages.length < state.pages && pages.at(-1)!.ids.length > 0) {
    pages = await readPages(state, leaf, first, Math.max(pages.length + 1, first.totalPages), pages);
  }
  // The pages hold more rows than the total says. So the total is too small, and more pages may follow.
  while (listsMore(pages, leaf.total) && pages.at(-1)!.ids.length >= state.size && pages.length < state.pages) {
    pages = await readPages(state, leaf, first, pages.length + 1, pages);
  }
  if (!leaf.parent && listsMore(pages, leaf.total) && pages.length >= state.pages) {
    state.noteCappedTotals(leaf.total);
    if (state.totalsCap === leaf.total) return false;
  }
  const moved = pages.some((page) => page.total !== first.total);
  if (moved || missingOf(leaf) > 0) await readAgain(state, leaf, pages, moved);
  if (missingOf(leaf) > 0) {
    leaf.shortfall = { code: 'pages_short', values: { listed: leaf.distinct, total: leaf.total } };
  }
  if (!moved && listsMore(pages, leaf.total) && leaf.distinct > leaf.total) {
    leaf.uncounted = true;
    leaf.shortfall = { code: 'pages_long', values: { listed: leaf.distinct, total: leaf.total } };
  }
  state.tree.settle(leaf, !moved && leaf.distinct === leaf.total ? 'leaf' : 'moved');
  return true;
}

/** Returns whether the pages together hold more rows than `total`. */
function listsMore(pages: readonly PageAnswer[], total: number): boolean {
  return pages.reduce((rows, page) => rows + page.ids.length, 0) > total;
}

/**
 * Returns whether the API lists more companies than the market's total. If so, the API caps totals at this number. If
 * the total exactly fills its last page, requests one page more to find out. Otherwise no request is needed.
 */
export async function goesOn(state: CrawlState, segment: Segment, { total, ids }: PageAnswer): Promise<boolean> {
  const pages = total / state.size;
  if (segment.parent || ids.length === 0 || !Number.isInteger(pages) || pages >= state.pages) return false;
  const beyond = await askPage(state, segment, pages + 1, 'page');
  if (isRefused(beyond) || beyond.ids.length === 0) return false;
  state.noteCappedTotals(total);
  return state.totalsCap === total;
}

/** Reads the pages that the API shows of a search above the page cap. Used if no split is possible. */
export async function readTop(state: CrawlState, segment: Segment, first: PageAnswer): Promise<void> {
  if (!state.isBeyondReason) await readPages(state, segment, first, state.pages);
}

/** Requests the pages after `known`, up to the page number `to`, all at the same time. */
async function readPages(
  state: CrawlState,
  leaf: Segment,
  first: PageAnswer,
  to: number,
  known: PageAnswer[] = [first],
): Promise<PageAnswer[]> {
  const asks: Promise<SearchAnswer>[] = [];
  for (let page = known.length + 1; page <= Math.min(to, state.pages); page++)
    asks.push(askPage(state, leaf, page, 'page'));
  if (asks.length === 0) return known;
  const pages = (await Promise.all(asks)).map(asPage(first));
  for (const page of pages) addPage(leaf, page);
  return [...known, ...pages];
}

async function readAgain(state: CrawlState, leaf: Segment, pages: PageAnswer[], moved: boolean): Promise<void> {
  const rows = pages.reduce((sum, page) => sum + page.ids.length, 0);
  const short = pages.findIndex(
    (page, i) => page.ids.length < (i < pages.length - 1 ? state.size : leaf.total - i * state.size),
  );
  // If rows came twice, the order changed between pages, and any page may miss companies. Then read all pages again.
  // Otherwise read the first page with too few rows again, and the other pages only if this page has changed.
  const probe = moved || rows > leaf.distinct || short < 0 ? null : short;
  if (probe !== null) {
    const before = leaf.distinct;
    const again = asPage(pages[probe]!)(await askPage(state, leaf, probe + 1, 'again', '2'));
    addPage(leaf, again);
    if (leaf.distinct === before && again.ids.length === pages[probe]!.ids.length) return;
  }
  const rest = pages.flatMap((_, i) => (i === probe ? [] : [askPage(state, leaf, i + 1, 'again', '2')]));
  for (const answer of await Promise.all(rest)) addPage(leaf, asPage(pages[0]!)(answer));
}

/** Treats a refused page as an empty page. Takes its total from the page `like`. */
function asPage(like: PageAnswer): (answer: SearchAnswer) => PageAnswer {
  return (answer) => (isRefused(answer) ? { total: like.total, totalPages: like.totalPages, ids: [] } : answer);
}
