import type { CrawlState } from './crawl-state.js';

/** Shortfall of a segment whose search was stopped by the limit on the plan's requests. */
export const BEYOND_REASON =
  'stopped: the search took far more requests than the totals and the companies found explain, so the API contradicts itself';

/** Returns whether the plan has wanted more requests than any consistent API needs. */
export function isBeyondReason(state: CrawlState): boolean {
  return state.asked() > state.requestLimit();
}
