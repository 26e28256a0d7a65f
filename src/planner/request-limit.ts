import type { CrawlState } from './crawl-state.js';

/** Shortfall of a segment whose search ended at the plan's request limit. */
export const BEYOND_REASON =
  'stopped: the search needed far more requests than its totals and the companies found explain, so the API contradicts itself';

/** Returns whether the plan has created more requests than any consistent API needs. */
export function isBeyondReason(state: CrawlState): boolean {
  return state.asked() > state.requestLimit();
}
