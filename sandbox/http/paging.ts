import { MAX_PAGE } from '../../schemas/v2/prospecting.js';
import type { SandboxOptions } from '../options.js';
import { isObject, type FieldMessages } from './validate.js';

/** One page of a list: its rows start at `from` and end before `to`. `pages` is the number of pages. */
export interface Page {
  from: number;
  to: number;
  pages: number;
}

/**
 * Returns the page size of a request. Returns error messages if the request asks for too many rows and the policy is
 * `refuse`.
 */
export function pageSize(
  asked: number | undefined,
  options: Pick<SandboxOptions, 'maxPerPage' | 'defaultPerPage' | 'pageSizePolicy'>,
): number | FieldMessages {
  if (asked === undefined) return Math.min(options.defaultPerPage, options.maxPerPage);
  if (asked <= options.maxPerPage) return asked;
  if (options.pageSizePolicy === 'clamp') return options.maxPerPage;
  return { per_page: [`Ensure this value is less than or equal to ${options.maxPerPage}.`] };
}

/** Returns the rows of a page, out of `total` rows. Page 1 is the first; a page after the end has no rows. */
export function pageOf(total: number, page: number, perPage: number): Page {
  const from = Math.min(total, (page - 1) * perPage);
  return { from, to: Math.min(total, from + perPage), pages: Math.ceil(total / perPage) };
}

/**
 * Where a search ends: `none` is no limit, `ten` is page 10 (version 2), `v1` is the option `v1PageCap` (version 1).
 */
export type PageCap = 'none' | 'ten' | 'v1';

/** Content of a search answer: the reported total, the number of pages, and the positions of its rows. */
export interface SearchPage {
  total: number;
  pages: number;
  places: number[];
}

/**
 * Builds one page of a search that found `found` companies. With the cap `ten`, `page` is at most 10, because the
 * caller has applied `withinCap`.
 */
export function searchPage(
  found: number,
  { page, perPage, cap }: { page: number; perPage: number; cap: PageCap },
  options: Pick<SandboxOptions, 'countCap' | 'totalPages' | 'v1PageCap'>,
): SearchPage {
  const total = options.countCap === 0 ? found : Math.min(found, options.countCap);
  const last =
    cap === 'ten' && options.totalPages === 'ten'
      ? MAX_PAGE
      : cap === 'v1' && options.v1PageCap > 0
        ? options.v1PageCap
        : Infinity;
  const pages = Math.min(Math.ceil(total / perPage), last);
  const { from, to } = pageOf(found, page, perPage);
  const beyond = cap === 'v1' && page > last;
  return { total, pages, places: beyond ? [] : Array.from({ length: to - from }, (_, n) => from + n) };
}

/**
 * Applies the page cap to `page` in a request body. A page above 10 becomes page 10. `empty` tells whether the answer
 * then has no rows. With the policy `refuse`, nothing changes here: the schema refuses the body later.
 */
export function withinCap(body: unknown, policy: SandboxOptions['pagePolicy']): { body: unknown; empty: boolean } {
  const beyond = isObject(body) && Number.isInteger(body['page']) && (body['page'] as number) > MAX_PAGE;
  if (!beyond || policy === 'refuse') return { body, empty: false };
  return { body: { ...body, page: MAX_PAGE }, empty: policy === 'empty' };
}
