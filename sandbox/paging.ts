import { MAX_PAGE } from '../schemas/v2/prospecting.js';
import type { SandboxOptions } from './options.js';
import { isObject, type FieldMessages } from './validate.js';

/** One page of a list: which rows it holds, and how many pages there are. */
export interface Page {
  from: number;
  to: number;
  pages: number;
}

/** Page size a request gets; messages when it asks for more than there is and the policy is to refuse. */
export function pageSize(
  asked: number | undefined,
  options: Pick<SandboxOptions, 'maxPerPage' | 'defaultPerPage' | 'pageSizePolicy'>,
): number | FieldMessages {
  if (asked === undefined) return Math.min(options.defaultPerPage, options.maxPerPage);
  if (asked <= options.maxPerPage) return asked;
  if (options.pageSizePolicy === 'clamp') return options.maxPerPage;
  return { per_page: [`Ensure this value is less than or equal to ${options.maxPerPage}.`] };
}

/** Rows of a page (from 1) of `total` rows; past the end it holds none. */
export function pageOf(total: number, page: number, perPage: number): Page {
  const from = Math.min(total, (page - 1) * perPage);
  return { from, to: Math.min(total, from + perPage), pages: Math.ceil(total / perPage) };
}

/** Where a search's page number ends: nowhere, at the tenth page (version 2), or where the options say (version 1). */
export type PageCap = 'none' | 'ten' | 'v1';

/** What a search answers: totals as the options tell them, and the places of its rows. */
export interface SearchPage {
  total: number;
  pages: number;
  places: number[];
}

/** A page of a search that found `found` rows. Page numbers are never beyond `ten` here: `withinCap` saw to that. */
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
 * A request body whose `page` is at most ten, and whether its answer is to hold no rows. By the policy a larger page
 * becomes the tenth, with rows or without; to be refused it is left as it is for the schema to find.
 */
export function withinCap(body: unknown, policy: SandboxOptions['pagePolicy']): { body: unknown; empty: boolean } {
  const beyond = isObject(body) && Number.isInteger(body['page']) && (body['page'] as number) > MAX_PAGE;
  if (!beyond || policy === 'refuse') return { body, empty: false };
  return { body: { ...body, page: MAX_PAGE }, empty: policy === 'empty' };
}
