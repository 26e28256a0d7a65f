import { z } from 'zod';

import { DocumentedCount, overviewEnvelope, usable } from './envelope.js';
import { Count, CountryCode, Id, PageNumber, ProfileUrl, Text } from './scalars.js';

/** Largest `per_page` of company search (section "Limits"). */
export const OVERVIEW_MAX_PER_PAGE = 5;

/** Body of `POST /v2/overview` (section "Company search"). All fields are optional. */
export const OverviewRequest = z.strictObject({
  country_code: CountryCode.optional(),
  /** Two letters for a state of the US. */
  state: z.string().optional(),
  /** The API accepts only a list, also for one code. */
  postal_codes: z.array(z.string()).optional(),
  name: z.string().optional(),
  registration_number: z.string().optional(),
  lei_number: z.string().optional(),
  ticker: z.string().optional(),
  vat_number: z.string().optional(),
  website: z.string().optional(),
  phone_number: z.string().optional(),
  /** Full name of an employee. */
  person: z.string().optional(),
  company_status: z.array(z.int()).optional(),
  page: PageNumber.optional(),
  per_page: z.int().min(1).max(OVERVIEW_MAX_PER_PAGE).optional(),
  pronet: ProfileUrl.optional(),
});
export type OverviewRequest = z.infer<typeof OverviewRequest>;

/** One company found by `POST /v2/overview`. */
export const OverviewItem = z.looseObject({
  id: Id,
  name: Text,
  /** Name of the status, not its id. */
  status: Text,
  country_code: Text,
  registration_number: Text,
});
export type OverviewItem = z.infer<typeof OverviewItem>;

/** The documented answer of `POST /v2/overview`. */
export const OverviewResponse = overviewEnvelope(DocumentedCount, OverviewItem);
export type OverviewResponse = z.infer<typeof OverviewResponse>;

/** A page as the client returns it. An item without an id becomes null. */
export const OverviewPage = overviewEnvelope(Count, usable(OverviewItem));
export type OverviewPage = z.infer<typeof OverviewPage>;
