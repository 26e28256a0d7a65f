import { plainReason } from '../../../../schemas/pipeline/reason.js';
import type { CrawlState } from './crawl-state.js';

/** Reason for missing companies, if the search of a segment stopped at the plan's request limit. */
export const BEYOND_REASON = plainReason('contradiction');

/** Returns whether the plan has created more requests than it needs for any API that does not contradict itself. */
export function isBeyondReason(state: CrawlState): boolean {
  return state.asked() > state.requestLimit();
}
