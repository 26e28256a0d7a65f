import type { CompanyQuestion } from '../../../../schemas/pipeline/resolve.js';
import type { ApiClient, ApiResponse } from '../../../api/index.js';
import { NOTHING, type Judge, type Judgement } from './judge.js';
import type { Routes } from '../../judge/routes.js';
import { tryWays } from '../try-ways.js';
import { waysToFind, type Way } from './ways.js';

// Read at most this many pages of a company search. If more companies share the name, a person must decide in any case.
const MOST_PAGES = 3;
// Read further pages only if a candidate has at least this score. sql/macros/match.sql has the same threshold.
const GOOD = 0.9;

/**
 * Sends one request after another until the answers show which company the question means. Skips closed routes.
 * @param question canonical JSON
 * @returns the answers that name candidates; if there are none, the last answer, which names no company
 * @throws NotFoundError when every answer was "not found"
 * @throws InvalidRequestError or AutocompleteFieldError when the API rejected every request
 * @throws the API's error, when the API refused a route and no other request found a candidate
 * @throws RoutesClosedError instead of that error, when the route is closed
 */
export async function identify(
  client: ApiClient,
  question: string,
  signal: AbortSignal,
  { routes, judge }: { routes: Routes; judge: Judge },
): Promise<ApiResponse<unknown>[]> {
  const found: ApiResponse<unknown>[] = [];
  let state = NOTHING;
  let nameless: ApiResponse<unknown> | undefined;
  const ways = waysToFind(JSON.parse(question) as CompanyQuestion);
  const { denied, missed } = await tryWays(ways, async (way) => {
    if (way.fallback && state.state !== 'unmatched') return false;
    for (let page = 1, last = 1; page <= last; page++) {
      const response = await routes.send(way.route, async () => way.ask(client, { signal }, page));
      if (!namesCompany(response.data)) {
        nameless = response;
        break;
      }
      found.push(response);
      state = await judge.judge(question, found);
      if (isWorthReadingOn(way, state)) last = Math.min(MOST_PAGES, pagesOf(response.data));
    }
    return state.state === 'matched';
  });
  if (found.length > 0) return found;
  if (denied !== undefined) throw denied;
  if (nameless !== undefined) return [nameless];
  throw missed ?? new Error('a question without anything that identifies a company');
}

/** Whether to read further pages of a search. They can show whether a good candidate is the only one. */
function isWorthReadingOn({ kind }: Way, { state, score }: Judgement): boolean {
  return state !== 'matched' && (score ?? 0) >= GOOD && ['name', 'person', 'phone'].includes(kind);
}

/**
 * Whether an answer names a company. The reference does not show an answer without a match. It may be NotFound, a
 * record without an id, or an empty list.
 */
function namesCompany(data: unknown): boolean {
  if (typeof data !== 'object' || data === null) return false;
  const { id, data: list } = data as { id?: unknown; data?: unknown };
  if (Array.isArray(list)) return list.some((item) => item !== null);
  return id !== undefined && id !== null && id !== '';
}

function pagesOf(data: unknown): number {
  const pages = Number((data as { total_pages?: unknown }).total_pages);
  return Number.isFinite(pages) ? pages : 1;
}
