import { ask, type Task } from './tasks.js';
import { isRefused, type Calibration, type PageAnswer, type RefusedAnswer } from './types.js';

/** Reference v2, "Limits": maximum `page` value 10 for prospecting. */
export const PAGE_CAP = 10;

/** What to try when the page size asked for is refused. */
const LADDER = [500, 250, 100, 50, 25, 10, 5, 1];

export interface PageSize {
  /** Root's page 1 that was believed. */
  first: PageAnswer;
  /** Sent as `per_page` from now on. */
  perPage: number;
  /** Rows a full page holds. */
  size: number;
  /** Pages the API shows. */
  pages: number;
  /** Pages asked for to learn this. */
  asked: PageAnswer[];
}

/**
 * Asks the market's page 1 until the page size is known. Only the length of what came back counts: the size asked for
 * may be refused, lowered, or replaced by a small default. What an earlier night found out is believed when it still holds.
 * @returns the refusal when every page size is refused: then it is the filters that the API does not accept
 */
export function* calibratePageSize(
  filters: Record<string, unknown>,
  wanted: number,
  learnt?: Calibration | null,
): Task<PageSize | RefusedAnswer> {
  const asked: PageAnswer[] = [];
  function* page1(perPage: number): Task<PageAnswer | RefusedAnswer> {
    const answer = yield* ask({ segment: 'root', filters, page: 1, per_page: perPage, purpose: 'calibration' });
    if (!isRefused(answer)) asked.push(answer);
    return answer;
  }

  if (learnt) {
    const first = yield* page1(learnt.perPage);
    const same = !isRefused(first) && (first.ids.length === learnt.size || first.ids.length === first.total);
    if (same) return { first, perPage: learnt.perPage, size: learnt.size, pages: learnt.pages, asked };
  }

  let refusal: RefusedAnswer | null = null;
  let best: { perPage: number; first: PageAnswer } | null = null;
  for (const perPage of [wanted, ...LADDER.filter((size) => size < wanted)]) {
    const answer = yield* page1(perPage);
    if (!isRefused(answer)) {
      best = { perPage, first: answer };
      break;
    }
    refusal ??= answer;
    // A refusal that names a filter will not go away with a smaller page.
    if (Object.keys(filters).some((key) => answer.refused.includes(key)) && !/page/.test(answer.refused)) break;
  }
  if (!best) return refusal!;

  // Fewer than asked for: a limit, or the default that stands in for a size the API will not have?
  const got = best.first.ids.length;
  if (got < best.perPage && best.first.totalPages > 1 && got < 100) {
    for (const perPage of [100, 50, 25].filter((size) => size > got && size < best!.perPage)) {
      const answer = yield* page1(perPage);
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
  const pages = yield* calibratePages(filters, perPage, size, best.first);
  return { first: best.first, perPage, size, pages, asked };
}

/** An API that says it has fewer pages than ten, and fewer than its total needs, is put to the test once. */
function* calibratePages(
  filters: Record<string, unknown>,
  perPage: number,
  size: number,
  first: PageAnswer,
): Task<number> {
  const { totalPages, total } = first;
  if (totalPages < 1 || totalPages >= PAGE_CAP || totalPages * size >= total) return PAGE_CAP;
  const beyond = yield* ask({
    segment: 'root',
    filters,
    page: totalPages + 1,
    per_page: perPage,
    purpose: 'calibration',
  });
  return isRefused(beyond) || beyond.ids.length === 0 ? totalPages : PAGE_CAP;
}
