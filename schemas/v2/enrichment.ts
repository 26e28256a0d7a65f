import { z } from 'zod';

import { DocumentedCount, employeesEnvelope, usable } from './envelope.js';
import { Count, CountryCode, Id, PageNumber, PerPage, ProfileUrl, Text, TextOrNumber } from './scalars.js';

/** Body of `POST /v2/enrichment/url`. */
export const EnrichUrlRequest = z.strictObject({ url: z.string().min(1) });
export type EnrichUrlRequest = z.infer<typeof EnrichUrlRequest>;

/** Body of `POST /v2/enrichment/company/pronet`. */
export const EnrichCompanyPronetRequest = z.strictObject({ pronet: ProfileUrl });
export type EnrichCompanyPronetRequest = z.infer<typeof EnrichCompanyPronetRequest>;

/** Body of `POST /v2/enrichment/company`. `state` is required for companies in the US. */
export const EnrichCompanyRequest = z
  .strictObject({
    registration_number: z.string().optional(),
    vat_number: z.string().optional(),
    ticker: z.string().optional(),
    country_code: CountryCode,
    state: z.string().optional(),
  })
  .refine((body) => body.country_code.toUpperCase() !== 'US' || (body.state ?? '') !== '', {
    path: ['state'],
    message: 'required when country_code is US',
  });
export type EnrichCompanyRequest = z.infer<typeof EnrichCompanyRequest>;

/** Body of `POST /v2/enrichment/email`. `reveal_phone` defaults to true. */
export const EnrichEmailRequest = z.strictObject({
  email: z.string().min(1),
  reveal_phone: z.boolean().optional(),
});
export type EnrichEmailRequest = z.infer<typeof EnrichEmailRequest>;

/** Body of `POST /v2/enrichment/employee/pronet`. `reveal_email` and `reveal_phone` default to true. */
export const EnrichEmployeePronetRequest = z.strictObject({
  pronet: ProfileUrl,
  reveal_email: z.boolean().optional(),
  reveal_phone: z.boolean().optional(),
});
export type EnrichEmployeePronetRequest = z.infer<typeof EnrichEmployeePronetRequest>;

/**
 * Body of `POST /v2/enrichment/employee/contacts`. All fields are optional. `reveal_email` and `reveal_phone` default
 * to true.
 */
export const EnrichContactsRequest = z.strictObject({
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  company_name: z.string().optional(),
  /** Domain or website. */
  domain: z.string().optional(),
  email: z.string().optional(),
  pronet: ProfileUrl.optional(),
  reveal_email: z.boolean().optional(),
  reveal_phone: z.boolean().optional(),
});
export type EnrichContactsRequest = z.infer<typeof EnrichContactsRequest>;

/** Body of `POST /v2/enrichment/employee/search`. The reference does not list the allowed seniorities. */
export const EnrichEmployeeSearchRequest = z.strictObject({
  domain_list: z.array(z.string()).optional(),
  company_locations: z.array(z.string()).optional(),
  employee_locations: z.array(z.string()).optional(),
  employee_seniorities: z.array(z.string()).optional(),
  page: PageNumber.optional(),
  per_page: PerPage.optional(),
});
export type EnrichEmployeeSearchRequest = z.infer<typeof EnrichEmployeeSearchRequest>;

/** The company of a person, in answers of `POST /v2/enrichment/employee/search`. */
export const EnrichedEmployeeCompany = z.looseObject({
  name: Text,
  website: Text,
  /** Year in which the company was founded. */
  incorporation_date: TextOrNumber,
  country: Text,
  state: Text,
  city: Text,
  postal_code: Text,
  phone: Text,
  microblog: Text,
  socialnet: Text,
  pronet: Text,
  street_address: Text,
});
export type EnrichedEmployeeCompany = z.infer<typeof EnrichedEmployeeCompany>;

/** One person, in answers of `POST /v2/enrichment/employee/search`. */
export const EnrichedEmployeeItem = z.looseObject({
  id: Id,
  last_name: Text,
  first_name: Text,
  name: Text,
  seniority_level: Text,
  job_title: Text,
  microblog: Text,
  socialnet: Text,
  pronet: Text,
  country: Text,
  state: Text,
  city: Text,
  company: EnrichedEmployeeCompany.nullish(),
});
export type EnrichedEmployeeItem = z.infer<typeof EnrichedEmployeeItem>;

/** The documented answer of `POST /v2/enrichment/employee/search`. */
export const EnrichEmployeeSearchResponse = employeesEnvelope(DocumentedCount, EnrichedEmployeeItem);
export type EnrichEmployeeSearchResponse = z.infer<typeof EnrichEmployeeSearchResponse>;

/** A page as the client returns it. An item without an id becomes null. */
export const EnrichEmployeeSearchPage = employeesEnvelope(Count, usable(EnrichedEmployeeItem));
export type EnrichEmployeeSearchPage = z.infer<typeof EnrichEmployeeSearchPage>;
