import { z } from 'zod';

import { readLeniently } from './read-leniently.js';

/*
 * The envelopes of the reference's section "Pagination envelopes". An envelope holds one page of items with the totals.
 * For each envelope, one function builds two schemas:
 * - `…Response`: the documented shape, for conformance tests, the sandbox and OpenAPI.
 * - `…Page`: what the client returns. Totals may be text; an item without its id becomes null and the page stays valid.
 */

/** Builds the envelope of v2 prospecting: `total_companies`, `total_pages`, `data`. */
export function prospectingEnvelope<C extends z.ZodType, T extends z.ZodType>(count: C, item: T) {
  return z.looseObject({ total_companies: count, total_pages: count, data: z.array(item) });
}

/** Builds the envelope of v2 company search: `total_results`, `total_pages`, `data`. */
export function overviewEnvelope<C extends z.ZodType, T extends z.ZodType>(count: C, item: T) {
  return z.looseObject({ total_results: count, total_pages: count, data: z.array(item) });
}

/**
 * Builds the envelope of v2 employee search and enrichment employee search: `total_employees`, `total_pages`, `data`.
 */
export function employeesEnvelope<C extends z.ZodType, T extends z.ZodType>(count: C, item: T) {
  return z.looseObject({ total_employees: count, total_pages: count, data: z.array(item) });
}

/** Builds the envelope of v2 watched companies and company events: `data`, `total_results`, `pages`. */
export function watchEnvelope<C extends z.ZodType, T extends z.ZodType>(count: C, item: T) {
  return z.looseObject({ data: z.array(item), total_results: count, pages: count });
}

/**
 * Builds the envelope of v1 company and executive search: `data`, `pages` (number of pages that the search can show).
 */
export function v1SearchEnvelope<C extends z.ZodType, T extends z.ZodType>(count: C, item: T) {
  return z.looseObject({ data: z.array(item), pages: count });
}

/** A total as the reference documents it: a whole number. */
export const DocumentedCount = z.int().min(0);

/**
 * Makes a schema that reads an item leniently: a wrong optional field is removed, and an item without a required field
 * becomes null. The landed page keeps the item as received.
 */
export function usable<T extends z.ZodType>(item: T) {
  return item.nullable().catch(({ value }): z.output<T> | null => {
    const read = readLeniently<z.output<T>>(item as z.ZodType<z.output<T>>, value);
    return read.fits ? read.value : null;
  });
}
