import { UNREAD_PAGES, type LandedRow } from '../../../schemas/pipeline/landing.js';
import { InvalidRequestError, type ApiClient } from '../../api/index.js';
import type { NewRow } from '../../landing/index.js';
import { PAGE_SIZES } from '../../api/page-sizes.js';

/** Row kind of the last row of an entity's listing. The row kinds of the rows before it begin with `page-`. */
const LAST_PAGE = 'last-page';
type PageSize = (typeof PAGE_SIZES)[number] | undefined;
/** Page size of each route; undefined: the API chooses it, because it rejected all. */
const pageSizes = new WeakMap<ApiClient, Map<string, PageSize>>();
/** Read at most this many pages of one company's events or people, even if the API reports more. */
export const MOST_PAGES = 1_000;

/** Status of a landed row that says which part of an entity was not read. */
export const CUT_SHORT = 0;

/**
 * Yields the rows of an entity that were read now. Lands each one step late, because only the last gets the mark
 * LAST_PAGE. Before it comes a row that says what was not read, if anything.
 * @param landed rows of the entity that earlier attempts landed
 * @param rows returns a sentence about what was not read; null if all was read
 */
export async function* markLast(
  landed: readonly LandedRow[],
  rows: AsyncGenerator<NewRow, string | null>,
): AsyncGenerator<NewRow> {
  let last: NewRow | undefined;
  let step = await rows.next();
  for (; !step.done; step = await rows.next()) {
    if (last !== undefined) yield last;
    last = step.value;
  }
  last ??= landed.at(-1);
  if (last === undefined) return;
  if (step.value !== null) yield cutShortRow(last, step.value);
  yield { ...last, row_kind: LAST_PAGE };
}

/**
 * Requests a page of a route with the largest page size that the API accepts. Remembers this size for later calls of the
 * same client.
 * @param ask gets undefined if the API rejects all sizes
 */
export async function askPage<T>(client: ApiClient, route: string, ask: (perPage: PageSize) => Promise<T>): Promise<T> {
  const sizes = pageSizes.get(client) ?? new Map<string, PageSize>();
  pageSizes.set(client, sizes);
  for (;;) {
    if (!sizes.has(route)) sizes.set(route, PAGE_SIZES[0]);
    const size = sizes.get(route);
    try {
      return await ask(size);
    } catch (error) {
      if (size === undefined || !(error instanceof InvalidRequestError && 'per_page' in error.fields)) throw error;
      if (sizes.get(route) === size) sizes.set(route, PAGE_SIZES[PAGE_SIZES.indexOf(size) + 1]);
    }
  }
}

/** Makes a row that says which part of a listing was not read. The table ops.rejects shows the row. */
export function cutShortRow(last: NewRow, words: string): NewRow {
  return { ...last, request_key: `${last.request_key}${UNREAD_PAGES}`, status: CUT_SHORT, body: words };
}
