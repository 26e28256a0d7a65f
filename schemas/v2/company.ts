import { z } from 'zod';

import { Id, Text, TextOrNumber, Texts } from './scalars.js';

/** One classification of a company. `type` is `industry_focus` or `sic_code_<country>`. */
export const CompanyCode = z.looseObject({ id: Id.nullish(), type: Text, value: Text });
export type CompanyCode = z.infer<typeof CompanyCode>;

/**
 * Company record of `GET /v2/companies/{id}`, enrichment and autocomplete (section "Company record").
 * Only the id is required; any other field may be missing or null.
 */
export const Company = z.looseObject({
  id: Id,
  name: Text,
  registration_number: Text,
  /** ISO 3166 alpha-2. */
  country_code: Text,
  company_phone: Texts,
  company_email: Texts,
  company_fax: Texts,
  company_website: Text,
  company_legal_form: Text,
  /** Name of the status. Missing in some enrichment answers. */
  status: Text,
  /** Comma-separated names. */
  brands: Text,
  address_street: Text,
  address_location: Text,
  address_city: Text,
  country_region: Text,
  zip_code: Text,
  country_name: Text,
  /** Number of employees, or a range of numbers. */
  size: TextOrNumber,
  vat_number: Text,
  /** yyyy-mm-dd. */
  founding_date: Text,
  industry: z.array(CompanyCode).nullish(),
  sic: z.array(CompanyCode).nullish(),
  microblog: Text,
  pronet: Text,
  socialnet: Text,
});
export type Company = z.infer<typeof Company>;
