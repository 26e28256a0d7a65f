import type { Requests } from '../requests.js';
import { isRefused, type Calibration, type PageAnswer, type RefusedAnswer } from '../types.js';

/** Highest page number of a search (reference v2, "Limits"). */
export const PAGE_CAP = 10;

/** Page sizes to try if the API refuses the configured one. */
const LADDER = [500, 250, 100, 50, 25, 10, 5, 1];

/** The page size and page cap that the API applies. */
export interface PageSize {
  /** Page 1 of the market, with the page size that was found. */
  first: PageAnswer;
  /** Value of `per_page` for all further requests. */
  perPage: number;
  /** Number of rows on a full page. */
  size: number;
  /** Number of pages that the API shows of one search. */
  pages: number;
  /** All answers for page 1 that were requested to find the page size. */
  asked: PageAnswer[];
}

/**
 * Requests page 1 of the market with several page sizes, until the page size is known. Trusts only the number of rows
 * that the API returns: the API may refuse the requested size, lower it, or use a small default instead. If page 1 has
 * as many rows as an earlier night's calibration says, keeps the earlier page size.
 * @returns the refusal when the API refuses every page size; then it refuses the market's filters
 */
export async function calibratePageSize(
  requests: Requests,
  filters: Record<string, unknown>,
  wanted: number,
  learnt?: Calibration | null,
): Promise<PageSize | RefusedAnswer> {
  const asked: PageAnswer[] = [];
  async function page1(perPage: number): Promise<PageAnswer | RefusedAnswer> {
    const answer = await requests.search({
      segment: 'root',
      filters,
      page: 1,
      per_page: perPage,
      purpose: 'calibration',
    });
    if (!isRefused(answer)) asked.push(answer);
    return answer;
  }

  if (learnt) {
    const first = await page1(learnt.perPage);
    const same = !isRefused(first) && (first.ids.length === learnt.size || first.ids.length === first.total);
    if (same) return { first, perPage: learnt.perPage, size: learnt.size, pages: learnt.pages, asked };
  }

  let refusal: RefusedAnswer | null = null;
  let best: { perPage: number; first: PageAnswer } | null = null;
  for (const perPage of [wanted, ...LADDER.filter((size) => size < wanted)]) {
    const answer = await page1(perPage);
    if (!isRefused(answer)) {
      best = { perPage, first: answer };
      break;
    }
    refusal ??= answer;
    // The API's message names a filter, so a smaller page will not help.
    if (Object.keys(filters).some((key) => answer.refused.includes(key)) && !/page/.test(answer.refused)) break;
  }
  if (!best) return refusal!;

  // The API returned fewer rows than requested. Perhaps it replaced the requested size by a small default, because it
  // does not allow that size. A smaller requested size may then give more rows.
  const got = best.first.ids.length;
  if (got < best.perPage && best.first.totalPages > 1 && got < 100) {
    for (const perPage of [100, 50, 25].filter((size) => size > got && size < best!.perPage)) {
      const answer = await page1(perPage);
      if (isRefused(answer)) continue;
      if (answer.ids.length <= got) continue;
      best = { perPage, first: answer };
      break;
    }
  }
  const size =
    best.first.totalPages > 1 || best.first.total > best.first.ids.length
      ? Math.max(1, best.first.ids.length)
      : best.perPage;
  const perPage = Math.min(best.perPage, size);
  const pages = await calibratePages(requests, filters, perPage, size, best.first);
  return { first: best.first, perPage, size, pages, asked };
}

/**
 * Returns the page cap. If the API reports fewer pages than its total needs, requests one page more, to see whether
 * pages continue.
 */
async function calibratePages(
  requests: Requests,
  filters: Record<string, unknown>,
  perPage: number,
  size: number,
  first: PageAnswer,
): Promise<number> {
  const { totalPages, total } = first;
  if (totalPages < 1 || totalPages >= PAGE_CAP || totalPages * size >= total) return PAGE_CAP;
  const beyond = await requests.search({
    segment: 'root',
    filters,
    page: totalPages + 1,
    per_page: perPage,
    purpose: 'calibration',
  });
  return isRefused(beyond) || beyond.ids.length === 0 ? totalPages : PAGE_CAP;
}
