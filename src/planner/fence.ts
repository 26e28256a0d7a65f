import type { CrawlState } from './crawl-state.js';

/** Shortfall of a segment whose search the request limit stopped. */
export const BEYOND_REASON =
  'stopped: far more requests were made than the totals and the companies found explain, so the API contradicts itself';

/** Returns whether the plan has wanted more requests than any consistent API needs. */
export function isBeyondReason(state: CrawlState): boolean {
  return state.asked() > state.fence();
}
