import { UNREAD_PAGES } from '../../../schemas/pipeline/landing.js';
import { isBlank } from '../../../schemas/v2/empty-shapes.js';
import { isUsable, keysOf, readItems } from '../../base/company-id.js';
import { readJson } from '../../base/json/json-nodes.js';
import { textOf, type NewRow } from '../../landing/index.js';
import { readCount } from './read-count.js';

/** Read at most this many pages of one company's events or people, even if the API reports more. */
export const MOST_PAGES = 1_000;

/** How many pages of a list were read and reported, and whether the last page that was read has no items. */
export interface PagesRead {
  read: number;
  reported: number;
  isEmpty: boolean;
}

/**
 * Reads the pages of a list in order. Ends after the last page that the API reports, after an empty page, or after
 * MOST_PAGES.
 * @param list field of the page that has the items
 * @param ids gets the usable ids of the items, if it is given: to read them takes long
 */
export async function readPages(
  ask: (page: number) => Promise<NewRow>,
  list = 'data',
  ids?: Set<string>,
): Promise<PagesRead> {
  for (let page = 1; ; page++) {
    const body = textOf(await ask(page));
    if (ids !== undefined) for (const key of keysOf(readItems(body, list))) if (isUsable(key)) ids.add(key);
    const { pages, [list]: items = null } = readJson(body) as Record<string, unknown>;
    const isEmpty = Array.isArray(items) ? items.length === 0 : isBlank(items);
    // Without a usable count, an empty page ends the list.
    const reported = pages === undefined || pages === null ? page : (readCount(pages) ?? (isEmpty ? page : page + 1));
    if (isEmpty || !(page < reported) || page === MOST_PAGES) return { read: page, reported, isEmpty };
  }
}

/** Makes a row that says which part of a listing was not read. The table ops.rejects shows the row. */
export function cutShortRow(last: NewRow, words: string): NewRow {
  return { ...last, request_key: `${last.request_key}${UNREAD_PAGES}`, status: 0, body: words };
}
