import type { CrawlState } from './crawl-state.js';

/** Shortfall of a segment whose search the request limit stopped. */
export const BEYOND_REASON =
  'stopped: the search needed far more requests than its totals and finds explain, so the API contradicts itself';

/** Returns whether the plan has wanted more requests than any consistent API needs. */
export function isBeyondReason(state: CrawlState): boolean {
  return state.asked() > state.fence();
}
