import { UNREAD_PAGES, type LandedRow } from '../../../schemas/pipeline/landing.js';
import { InvalidRequestError, type ApiClient, type ApiResponse } from '../../api-client/index.js';
import type { NewRow } from '../../landing/index.js';
import { rowOf } from '../answer.js';

/** Segment of the last row of an entity's listing. The segments of all rows before begin with `page-`. */
export const LAST_PAGE = 'last-page';
// Page sizes of people to try, in this order.
const PAGE_SIZES = [100, 50, 10] as const;
const pageSizes = new WeakMap<ApiClient, number>();
/** Read at most this many pages of one company's events or people, even if the API reports more. */
export const MOST_PAGES = 1_000;

/** Status of the landed row that names the unread part of an entity. */
export const CUT_SHORT = 0;

/** One page of a listing, with the number of its rows and of all pages. */
interface ListedPage {
  response: ApiResponse<unknown>;
  rows: number;
  pages: number;
}

/**
 * Reads the pages of an entity's listing in order and marks the row of the last page. After an interruption, entities
 * without this mark are read again.
 * @param what the listing, for the row that names unread pages
 * @param todo how to read the unread pages: a sentence with a space before it, or nothing
 */
export async function* readPages(
  id: string,
  what: string,
  todo: string,
  ask: (page: number) => Promise<ListedPage>,
): AsyncGenerator<NewRow> {
  for (let page = 1, last = 1; page <= last; page++) {
    const { response, rows, pages } = await ask(page);
    last = rows === 0 ? page : pages;
    yield rowOf(response, id, page >= last ? LAST_PAGE : `page-${page}`);
    if (page < MOST_PAGES || page >= last) continue;
    const words = `The API reports ${last.toLocaleString('en-US')} pages of ${what}. The run read the first ${page.toLocaleString('en-US')}.${todo}`;
    yield cutShortRow(rowOf(response, id, LAST_PAGE), words);
    return;
  }
}

/** Returns the entities whose last page is landed. */
export function completeListings(rows: readonly LandedRow[]): Set<string> {
  return new Set(rows.filter((row) => row.segment === LAST_PAGE).map((row) => row.entity_id ?? ''));
}

/** Requests a page with the largest page size that the API accepts. Remembers the size for the client. */
export async function askPage<T>(client: ApiClient, ask: (perPage: number) => Promise<T>): Promise<T> {
  for (;;) {
    const size = pageSizes.get(client) ?? PAGE_SIZES[0];
    try {
      return await ask(size);
    } catch (error) {
      const smaller = PAGE_SIZES.find((other) => other < size);
      if (smaller === undefined || !(error instanceof InvalidRequestError && 'per_page' in error.fields)) throw error;
      if ((pageSizes.get(client) ?? PAGE_SIZES[0]) === size) pageSizes.set(client, smaller);
    }
  }
}

/** Makes a row that names the unread part of a listing. The warehouse shows the row in ops.rejects. */
export function cutShortRow(last: NewRow, words: string): NewRow {
  return { ...last, request_key: `${last.request_key}${UNREAD_PAGES}`, status: CUT_SHORT, body: words };
}
