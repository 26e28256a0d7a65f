import { canonicalJson } from '../../../base/json/canonical-json.js';
import type { PlanRequest, Route } from './types.js';

/** A request without its key. `again` is set for a deliberate repetition of an equal request. */
export type Ask = Omit<PlanRequest, 'key'> & { again?: string };

const ROUTES: Record<Route, string> = { v2: 'POST /v2/prospecting', v1: 'POST /v1/finder/companies' };

/**
 * Returns the key of a request and its answer: method, path, and the body with sorted keys. The same search has the
 * same key in every run. The key of a deliberate repetition ends in a mark, because its answer may differ.
 */
export function requestKey(ask: Ask): string {
  const body = canonicalJson({ filters: ask.filters, page: ask.page, per_page: ask.per_page });
  return `${ROUTES[ask.route]} ${body}${ask.again === undefined ? '' : `#${ask.again}`}`;
}
