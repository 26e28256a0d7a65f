import type { CrawlState } from './crawl-state.js';

/** Reason for missing companies, if the search of a segment stopped at the plan's request limit. */
export const BEYOND_REASON =
  'stopped: the search needed far more requests than its totals and the companies found explain, so the API contradicts itself';

/** Returns whether the plan has created more requests than it needs for any API that does not contradict itself. */
export function isBeyondReason(state: CrawlState): boolean {
  return state.asked() > state.requestLimit();
}
