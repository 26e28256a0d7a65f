import { z } from 'zod';

import { DocumentedCount, usable } from '../v2/envelope.js';
import { Count, Id, PageNumber, PerPage, RequestDate, Text, Texts } from '../v2/scalars.js';

const ids = z.array(z.int());
const DateRange = z.strictObject({ from: RequestDate.optional(), to: RequestDate.optional() });

/** Fields by which tenders can be sorted. The reference's example sorts with `desc`. */
export const TENDER_SORT_KEYS = [
  'title',
  'project_type',
  'countries',
  'announced_date',
  'deadline_date',
  'status',
] as const;

/** Filters under `must` (section "Tender filters"). Dates are yyyy-mm-dd. */
export const TenderMust = z.strictObject({
  title: z.string().optional(),
  countries: ids.optional(),
  industries: ids.optional(),
  types: ids.optional(),
  status: ids.optional(),
  donors: ids.optional(),
  deadline: DateRange.optional(),
  date_created: DateRange.optional(),
});
export type TenderMust = z.infer<typeof TenderMust>;

/** Filters of `POST /v1/finder/tenders`. */
export const TenderFilters = z.strictObject({ must: TenderMust.optional() });
export type TenderFilters = z.infer<typeof TenderFilters>;

/** Body of `POST /v1/finder/tenders`. All fields are optional. */
export const TendersRequest = z.strictObject({
  page: PageNumber.optional(),
  per_page: PerPage.optional(),
  sort: z.partialRecord(z.enum(TENDER_SORT_KEYS), z.enum(['asc', 'desc'])).optional(),
  filters: TenderFilters.optional(),
});
export type TendersRequest = z.infer<typeof TendersRequest>;

/** One tender of a search. */
export const TenderSummary = z.looseObject({
  countries: Texts,
  /** yyyy-mm-dd. */
  announced_date: Text,
  /** yyyy-mm-dd. */
  deadline_date: Text,
  title: Text,
  status: Text,
  project_type: Text,
  slug: z.string().min(1),
});
export type TenderSummary = z.infer<typeof TenderSummary>;

/** The answer as documented. It has no page count, so read pages until the total is reached or a page is empty. */
export const TendersResponse = z.looseObject({
  total_results: DocumentedCount,
  data: z.array(TenderSummary),
});
export type TendersResponse = z.infer<typeof TendersResponse>;

/** A page as the client returns it. An item without a slug becomes null. */
export const TendersPage = z.looseObject({
  total_results: Count,
  data: z.array(usable(TenderSummary)),
});
export type TendersPage = z.infer<typeof TendersPage>;

/** Query of `GET /v1/finder/tenders/details`. */
export const TenderDetailsQuery = z.strictObject({ slug: z.string().min(1) });
export type TenderDetailsQuery = z.infer<typeof TenderDetailsQuery>;

/** One contact of a tender. */
export const TenderContact = z.looseObject({ type: Text, name: Text, id: Id.nullish() });
export type TenderContact = z.infer<typeof TenderContact>;

/** Answer of `GET /v1/finder/tenders/details`. */
export const TenderDetails = z.looseObject({
  /** Description as HTML. */
  description: Text,
  /** The reference does not show the item's shape. */
  donors: z.array(z.unknown()).nullish(),
  /** URLs of the attachments. */
  attachments: Texts,
  contacts: z
    .looseObject({
      mobile: z.array(TenderContact).nullish(),
      name: z.array(TenderContact).nullish(),
      email: z.array(TenderContact).nullish(),
    })
    .nullish(),
  type: Text,
  slug: z.string().min(1),
  /** Date and time without a time zone. */
  deadline_date: Text,
  title: Text,
  industries: Texts,
  /** Date and time without a time zone. */
  announced_date: Text,
  countries: Texts,
  status: Text,
  logo: Text,
});
export type TenderDetails = z.infer<typeof TenderDetails>;
