import type { CompanyQuestion } from '../../../../schemas/pipeline/resolve.js';
import type { ApiClient, ApiResponse } from '../../../api/index.js';
import type { Routes } from '../../judge/routes.js';
import { rowOf } from '../../records/answer.js';
import type { Fetcher } from '../../records/fetcher.js';
import { tryWays } from '../try-ways.js';
import { NOTHING, scoreCandidates, type Score } from './score-candidates.js';
import { waysToFind, type Way } from './ways.js';

// Read at most this many pages of a company search. If more companies share the name, a person must decide in any case.
const MOST_PAGES = 3;
// Read further pages only if a candidate has at least this score. sql/macros/match.sql has the same threshold.
const GOOD = 0.9;

/** Fetches the answers to the questions of `tidemark resolve`. The entity is the question. */
export const matches: Fetcher = {
  manyRoutes: true,
  async fetch(question, { client, signal, routes, add }) {
    const answers = await identify(client, question, signal, routes);
    for (const [i, answer] of answers.entries()) add(rowOf(answer, question, `page-${i + 1}`));
  },
};

/**
 * Sends one request after another until the answers show which company the question means. Skips closed routes.
 * @param question canonical JSON
 * @returns the answers that name candidates; if there are none, the last answer, which names no company
 * @throws as `tryWays`
 */
export async function identify(
  client: ApiClient,
  question: string,
  signal: AbortSignal,
  routes: Routes,
): Promise<ApiResponse<unknown>[]> {
  let score = NOTHING;
  const ways = waysToFind(JSON.parse(question) as CompanyQuestion);
  return tryWays<Way, ApiResponse<unknown>[]>(ways, async (way, found) => {
    if (way.fallback && score.state !== 'unmatched') return false;
    for (let page = 1, last = 1; page <= last; page++) {
      const response = await routes.send(way.route, async () => way.ask(client, { signal }, page));
      if (!namesCompany(response.data)) {
        found.none = [response];
        break;
      }
      found.some = [...(found.some ?? []), response];
      score = await scoreCandidates(question, found.some);
      if (isWorthReadingOn(way, score)) last = Math.min(MOST_PAGES, pagesOf(response.data));
    }
    return score.state === 'matched';
  });
}

/** Whether to read further pages of a search. They can show whether a good candidate is the only one. */
function isWorthReadingOn({ kind }: Way, { state, score }: Score): boolean {
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
