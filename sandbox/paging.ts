import type { SandboxOptions } from './options.js';
import type { FieldMessages } from './validate.js';

/** One page of a list: which rows it holds, and how many pages there are. */
export interface Page {
  from: number;
  to: number;
  perPage: number;
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
  return { from, to: Math.min(total, from + perPage), perPage, pages: Math.ceil(total / perPage) };
}
