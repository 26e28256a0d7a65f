import { PAGE_CAP, type CrawlState } from '../crawl-state.js';
import { askPage } from '../questions.js';
import { addPage } from '../tree.js';
import { isRefused, type PageAnswer, type RefusedAnswer, type SearchAnswer } from '../types.js';

/** Page sizes to try if the API refuses the configured one. */
const LADDER = [500, 250, 100, 50, 25, 10, 5, 1];

/**
 * Requests page 1 of the market with several page sizes, until the page size is known. Sets it in the state, and the
 * page cap. Trusts only the number of rows that the API returns: the API may refuse the requested size, lower it, or use
 * a small default instead. If page 1 has as many rows as an earlier night's calibration says, keeps the earlier page
 * size.
 * @returns page 1 with the page size that was found; or the refusal when the API refuses every page size, because it
 *   then refuses the market's filters
 */
export async function calibratePageSize(state: CrawlState): Promise<PageAnswer | RefusedAnswer> {
  const { filters, perPage: wanted, known } = state.input;
  const { root } = state.tree;
  const page1 = async (perPage: number): Promise<SearchAnswer> => {
    state.perPage = perPage;
    const answer = await askPage(state, root, 1, 'calibration');
    if (!isRefused(answer)) addPage(root, answer);
    return answer;
  };

  const learnt = known?.calibration;
  if (learnt) {
    const first = await page1(learnt.perPage);
    if (!isRefused(first) && (first.ids.length === learnt.size || first.ids.length === first.total)) {
      Object.assign(state, { size: learnt.size, pages: learnt.pages });
      return first;
    }
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
      if (isRefused(answer) || answer.ids.length <= got) continue;
      best = { perPage, first: answer };
      break;
    }
  }
  const { first } = best;
  const isFull = first.totalPages > 1 || first.total > first.ids.length;
  state.size = isFull ? Math.max(1, first.ids.length) : best.perPage;
  state.perPage = Math.min(best.perPage, state.size);
  state.pages = await pageCapOf(state, first);
  return first;
}

/**
 * Returns the page cap. If the API reports fewer pages than its total needs, requests one page more, to see whether
 * pages continue.
 */
async function pageCapOf(state: CrawlState, { totalPages, total }: PageAnswer): Promise<number> {
  if (totalPages < 1 || totalPages >= PAGE_CAP || totalPages * state.size >= total) return PAGE_CAP;
  const beyond = await askPage(state, state.tree.root, totalPages + 1, 'calibration');
  return isRefused(beyond) || beyond.ids.length === 0 ? totalPages : PAGE_CAP;
}
