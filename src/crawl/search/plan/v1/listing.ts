import type { CrawlState } from '../crawl-state.js';
import { formatCount } from '../../../../../schemas/format.js';
import { firstUsable } from '../calibration/choose-dimension.js';
import { askAgain, probePair } from '../questions.js';
import { halvesOf } from '../shape.js';
import type { SearchAsk } from '../requests.js';
import { addPage, missingOf, type Segment } from '../tree.js';
import { isRefused, type ListingAnswer } from '../types.js';
import { driftOf, SURPLUS } from '../tolerances.js';

// If a page of version 1 has fewer rows than WORTH × the rows of a page of version 2, do not use version 1: a sweep
// through version 2 needs fewer requests.
const WORTH = 0.85;
// An API that caps totals probably caps them at a round number, such as 10,000. Few markets have exactly a round number
// of companies.
const ROUND = 1_000;
// Number of pages to request at the same time. The limit protects the memory if the API reports an absurd number of
// pages.
const BATCH = 1_000;

/** Segment id of the pages that only test whether version 1 works. The companies on these pages are not used. */
export const V1_PROBE = 'v1-probe';

/**
 * Reads a market above the page cap with version 1's search, which has no documented page cap (reference v1,
 * "Endpoints"). This costs one request per page, and also finds companies without a value in the dimensions. Uses
 * version 1 only if its pages hold exactly as many companies as version 2 counts. To compare exactly, first requests the
 * last page and counts its rows.
 * @returns the segment, without its final state; null if version 1 is unusable (`outcomes` then holds the reason)
 */
export async function readListing(state: CrawlState): Promise<Segment | null> {
  const filters = state.input.v1Filters;
  if ((await endsAtRoundTotal(state)) || !filters) return null;
  const refusal = state.input.known?.calibration?.v1Refusal;
  const pages = refusal ?? (await probeListing(state, filters));
  if (typeof pages === 'string') {
    state.outcomes.set('v1', { unusable: pages });
    return null;
  }
  const { root } = state.tree;
  const segment = state.tree.listing(filters);
  root.splitBy.push('v1 pages');
  let read = 0;
  for (let to = pages; read < to;) {
    const asks: ReturnType<typeof state.requests.list>[] = [];
    const until = Math.min(to, read + BATCH);
    for (let page = read + 1; page <= until; page++)
      asks.push(state.requests.list(listingAsk(state, segment.id, filters, page)));
    read = until;
    const found = segment.found.size;
    for (const page of await Promise.all(asks)) {
      if (isRefused(page)) continue;
      addPage(segment, { total: root.total, totalPages: page.pages, ids: page.ids });
      // If the market has grown since page 1 was read, read the added pages, too.
      if (page.ids.length > 0) to = Math.max(to, Math.min(page.pages, pages * 2));
    }
    // These pages listed no new company. So stop, and leave the rest to version 2.
    if (segment.found.size === found) break;
  }
  return segment;
}

/**
 * Returns whether the API caps totals at the market's total. Tests only round totals. Requests the totals of the two
 * halves of a dimension. If they add up to more than the market's total, the API caps totals; records this in the
 * state. Calibration requests the same halves, so a cold search sends these requests only once.
 */
async function endsAtRoundTotal(state: CrawlState): Promise<boolean> {
  const { root } = state.tree;
  if (root.total % ROUND !== 0) return false;
  const facts = await firstUsable(state);
  if (!facts?.splitField.windows || facts.splitField.overlapping) return false;
  const halves = await probePair(state, facts.splitField, halvesOf(facts.splitField));
  if (!('unusable' in halves) && halves.sum > root.total * (1 + SURPLUS)) state.noteCappedTotals(root.total);
  return root.total >= state.totalsCap;
}

/**
 * Sets the final state of the segment of version 1's listing. Call this after the market's total was requested again.
 * @returns false if more companies are missing than can have been added since the first page was read
 */
export function settleListing(state: CrawlState, segment: Segment, firstTotal: number): boolean {
  const { root } = state.tree;
  segment.total = root.total;
  const missing = missingOf(segment);
  const proven = [firstTotal, segment.found.size, root.found.size].every((count) => count === root.total);
  if (missing > 0) {
    segment.shortfall = { code: 'pages_short', values: { listed: segment.distinct, total: segment.total } };
  }
  state.tree.settle(segment, proven ? 'leaf' : 'moved');
  if (missing <= driftOf(root.total)) return true;
  const unusable = `all pages of version 1 of the API together list ${formatCount(segment.distinct)} of ${formatCount(segment.total)} companies`;
  state.outcomes.set('v1', { unusable });
  // Remove the listing from the market, so that version 2 finds the missing companies.
  root.children = root.children.filter((child) => child !== segment);
  return false;
}

/**
 * Returns the number of pages that version 1 has for the market. If version 1 cannot be trusted, returns the reason as
 * text.
 */
async function probeListing(state: CrawlState, filters: Record<string, unknown>): Promise<number | string> {
  const first = await probePage(state, filters, 1);
  if (isRefused(first)) return (state.v1Refusal = `the API refused the search in version 1 (${first.refused})`);
  const size = first.ids.length;
  if (size < state.size * WORTH) return `version 1 of the API shows only ${formatCount(size)} companies a page`;
  const last = first.pages > 1 ? await probePage(state, filters, first.pages) : first;
  if (isRefused(last))
    return (state.v1Refusal = `version 1 of the API refuses page ${formatCount(first.pages)}, the last page of its list (${last.refused})`);
  const total = (first.pages - 1) * size + last.ids.length;
  if (last.ids.length === 0 || total !== (await totalLike(state, total)))
    return `version 1 of the API lists ${formatCount(total)} companies, but version 2 counts ${formatCount(state.tree.root.total)}`;
  return first.pages;
}

/**
 * Returns the market's total in version 2. If the total differs slightly from `total`, requests it again: the market
 * may have changed since. For a large difference this is no explanation, so sends no request.
 */
async function totalLike(state: CrawlState, total: number): Promise<number> {
  const { root } = state.tree;
  if (total === root.total || Math.abs(total - root.total) > driftOf(root.total)) return root.total;
  const again = await askAgain(state, root);
  if (!isRefused(again)) root.total = again.total;
  return root.total;
}

async function probePage(
  state: CrawlState,
  filters: Record<string, unknown>,
  page: number,
): Promise<ListingAnswer | { refused: string }> {
  const probe: SearchAsk = { ...listingAsk(state, V1_PROBE, filters, page), purpose: 'guess', again: 'probe' };
  return state.requests.list(probe);
}

function listingAsk(state: CrawlState, segment: string, filters: Record<string, unknown>, page: number): SearchAsk {
  return { segment, filters, page, per_page: state.perPage, purpose: 'page' };
}
