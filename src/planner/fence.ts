import type { CrawlState } from './crawl-state.js';

/** What is named where the fence stopped a search. */
export const BEYOND_REASON =
  'stopped: far more requests were made than the totals and the companies found explain, so the API contradicts itself';

/** The last fence against an API whose answers make no sense: no honest market costs this many requests. */
export function isBeyondReason(state: CrawlState): boolean {
  return state.asked() > state.fence();
}
