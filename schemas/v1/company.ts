import { z } from 'zod';

import { DocumentedCount, usable, v1SearchEnvelope } from '../v2/envelope.js';
import { Count, Id, PageNumber, PerPage, Text, TextOrNumber } from '../v2/scalars.js';

const ids = z.array(z.int());
const texts = z.array(z.string());
/** Number range of version 1: the bounds `from` and `to`. */
export const FromTo = z.strictObject({ from: z.number().optional(), to: z.number().optional() });
export type FromTo = z.infer<typeof FromTo>;

/** Company filters (section "Company filters"). The executive filters include them. */
export const companyFilterShape = {
  name: texts.optional(),
  registration_number: texts.optional(),
  vat_number: texts.optional(),
  /** Ids of the list `company_status`. */
  status: ids.optional(),
  size: FromTo.optional(),
  trading_activity_import: z.boolean().optional(),
  trading_activity_export: z.boolean().optional(),
  activity_type: ids.optional(),
  /** Ids of the list `activities`. */
  industry: ids.optional(),
  sic_code: ids.optional(),
  regions: ids.optional(),
  country: ids.optional(),
  city_or_state: texts.optional(),
  zip: texts.optional(),
  turnover: FromTo.optional(),
  net_profit: FromTo.optional(),
  total_liabilities: FromTo.optional(),
  director_remuneration: FromTo.optional(),
  profit_per_employee: FromTo.optional(),
  exports: FromTo.optional(),
  ownership_type: ids.optional(),
  subsidiary_status: ids.optional(),
  used_technologies: ids.optional(),
  year_of_founding: FromTo.optional(),
  website_monthly_visits: FromTo.optional(),
  site_ranking: FromTo.optional(),
  domain: texts.optional(),
  emails: texts.optional(),
};

/** Filters of `POST /v1/finder/companies`. */
export const V1CompanyFilters = z.strictObject(companyFilterShape);
export type V1CompanyFilters = z.infer<typeof V1CompanyFilters>;

/** Body of `POST /v1/finder/companies`. All three fields are required. The reference states no page cap. */
export const V1CompaniesRequest = z.strictObject({
  page: PageNumber,
  per_page: PerPage,
  filters: V1CompanyFilters,
});
export type V1CompaniesRequest = z.infer<typeof V1CompaniesRequest>;

/** One company of a search. */
export const V1CompanySummary = z.looseObject({ id: Id, name: Text });
export type V1CompanySummary = z.infer<typeof V1CompanySummary>;

/** The documented answer of `POST /v1/finder/companies`. `pages` is the number of pages that the search can show. */
export const V1CompaniesResponse = v1SearchEnvelope(DocumentedCount, V1CompanySummary);
export type V1CompaniesResponse = z.infer<typeof V1CompaniesResponse>;

/** A page as the client returns it. An item without an id becomes null. */
export const V1CompaniesPage = v1SearchEnvelope(Count, usable(V1CompanySummary));
export type V1CompaniesPage = z.infer<typeof V1CompaniesPage>;

/** Query of the routes that take one id. */
export const V1IdQuery = z.strictObject({ id: z.int() });
export type V1IdQuery = z.infer<typeof V1IdQuery>;

/** Answer of `GET /v1/finder/company/details`. */
export const V1Company = z.looseObject({
  id: Id,
  name: Text,
  company_phone: Text,
  company_email: Text,
  company_fax: Text,
  company_website: Text,
  company_legal_form: Text,
  brands: Text,
  address_street: Text,
  address_location: Text,
  country_region: Text,
  zip_code: Text,
  country_name: Text,
  /** Two letters. */
  country_short_name: Text,
  /** Number of employees. */
  size: TextOrNumber,
  registration_number: Text,
  vat_number: Text,
  /** yyyy-mm-dd. */
  founding_date: Text,
});
export type V1Company = z.infer<typeof V1Company>;
