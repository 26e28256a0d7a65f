import { z } from 'zod';

/*
 * The envelopes of section "Pagination envelopes". Each comes in two readings built from one function: the documented
 * shape (`…Response`: conformance, sandbox, OpenAPI) and what a caller needs to go on (`…Page`: the client), where
 * totals may come as text and one odd item makes that item null and not the page an error.
 */

/** v2 prospecting: `total_companies`, `total_pages`, `data`. */
export function prospectingEnvelope<C extends z.ZodType, T extends z.ZodType>(count: C, item: T) {
  return z.looseObject({ total_companies: count, total_pages: count, data: z.array(item) });
}

/** v2 company search: `total_results`, `total_pages`, `data`. */
export function overviewEnvelope<C extends z.ZodType, T extends z.ZodType>(count: C, item: T) {
  return z.looseObject({ total_results: count, total_pages: count, data: z.array(item) });
}

/** v2 employee search and enrichment employee search: `total_employees`, `total_pages`, `data`. */
export function employeesEnvelope<C extends z.ZodType, T extends z.ZodType>(count: C, item: T) {
  return z.looseObject({ total_employees: count, total_pages: count, data: z.array(item) });
}

/** v2 watched companies and company events: `data`, `total_results`, `pages`. */
export function watchEnvelope<C extends z.ZodType, T extends z.ZodType>(count: C, item: T) {
  return z.looseObject({ data: z.array(item), total_results: count, pages: count });
}

/** v1 company and executive search: `data`, `pages` (reachable with the filter). */
export function v1SearchEnvelope<C extends z.ZodType, T extends z.ZodType>(count: C, item: T) {
  return z.looseObject({ data: z.array(item), pages: count });
}

/** A total as documented. */
export const DocumentedCount = z.int().min(0);

/** An item the client can use, or null for one that does not fit: the raw page says what it was. */
export function usable<T extends z.ZodType>(item: T) {
  return item.nullable().catch(null);
}
