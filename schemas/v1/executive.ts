import { z } from 'zod';

import { DocumentedCount, usable, v1SearchEnvelope } from '../v2/envelope.js';
import { Count, Id, PageNumber, PerPage, Text } from '../v2/scalars.js';
import { companyFilterShape, FromTo } from './company.js';

/** Filters of `POST /v1/finder/executives`: the company filters, and filters for people. */
export const V1ExecutiveFilters = z.strictObject({
  ...companyFilterShape,
  /** The reference's example shows an array of two numbers. The route `/companies` takes a range instead. */
  size: z.union([FromTo, z.tuple([z.number(), z.number()])]).optional(),
  company_id: z.int().optional(),
  department: z.array(z.int()).optional(),
  seniority_level: z.array(z.int()).optional(),
  job_title: z.array(z.string()).optional(),
  nationality: z.array(z.string()).optional(),
  contact_emails: z.array(z.string()).optional(),
  contact_have_email: z.boolean().optional(),
  contact_have_phone: z.boolean().optional(),
});
export type V1ExecutiveFilters = z.infer<typeof V1ExecutiveFilters>;

/** Body of `POST /v1/finder/executives`. All fields are optional. */
export const V1ExecutivesRequest = z.strictObject({
  page: PageNumber.optional(),
  per_page: PerPage.optional(),
  filters: V1ExecutiveFilters.optional(),
});
export type V1ExecutivesRequest = z.infer<typeof V1ExecutivesRequest>;

/** Query of `GET /v1/finder/company/executives`. All fields are required. */
export const V1CompanyExecutivesQuery = z.strictObject({
  id: z.int(),
  page: PageNumber,
  per_page: PerPage,
});
export type V1CompanyExecutivesQuery = z.infer<typeof V1CompanyExecutivesQuery>;

/** An executive, as `/company/executives` and `/executive/details` return it. */
export const V1Executive = z.looseObject({
  id: Id,
  title_name: Text,
  first_name: Text,
  last_name: Text,
  patronime_name: Text,
  gender: Text,
  company_executive_seniority_level: Text,
  company_executive_function: Text,
  contact_phone: Text,
  contact_email: Text,
  nationality: Text,
  function_original_name: Text,
  company_name: Text,
});
export type V1Executive = z.infer<typeof V1Executive>;

/** One executive of a search. */
export const V1ExecutiveItem = z.looseObject({
  id: Id,
  first_name: Text,
  last_name: Text,
  company_id: Id.nullish(),
  company_name: Text,
});
export type V1ExecutiveItem = z.infer<typeof V1ExecutiveItem>;

/** The documented answers of `POST /v1/finder/executives` and `GET /v1/finder/company/executives`. */
export const V1ExecutivesResponse = v1SearchEnvelope(DocumentedCount, V1ExecutiveItem);
export type V1ExecutivesResponse = z.infer<typeof V1ExecutivesResponse>;
export const V1CompanyExecutivesResponse = z.looseObject({
  list: z.array(V1Executive),
  pages: DocumentedCount,
});
export type V1CompanyExecutivesResponse = z.infer<typeof V1CompanyExecutivesResponse>;

/** The two answers above as the client returns them. An item without an id becomes null. */
export const V1ExecutivesPage = v1SearchEnvelope(Count, usable(V1ExecutiveItem));
export type V1ExecutivesPage = z.infer<typeof V1ExecutivesPage>;
export const V1CompanyExecutivesPage = z.looseObject({ list: z.array(usable(V1Executive)), pages: Count });
export type V1CompanyExecutivesPage = z.infer<typeof V1CompanyExecutivesPage>;
