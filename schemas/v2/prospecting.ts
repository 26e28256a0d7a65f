import { z } from 'zod';

import { DocumentedCount, prospectingEnvelope, usable } from './envelope.js';
import { Count, Id, PerPage, ProfileUrl, Text } from './scalars.js';

/** Largest `page` of prospecting and employee search (section "Limits"). */
export const MAX_PAGE = 10;

/** Currencies of `financial_turnover`. Default: USD. */
export const TURNOVER_CURRENCIES = ['USD', 'EUR', 'GBP'] as const;

/** Filters by industry code of a country: `sic_code_<country>`. */
export const SIC_CODE_FILTERS = [
  'sic_code_be',
  'sic_code_de',
  'sic_code_dk',
  'sic_code_fr',
  'sic_code_gb',
  'sic_code_ie',
  'sic_code_it',
  'sic_code_lu',
  'sic_code_nl',
  'sic_code_no',
  'sic_code_se',
  'sic_code_sg',
  'sic_code_us',
  'sic_code_ca',
  'sic_code_mx',
  'sic_code_anz',
] as const;

/** Filters by change within a year. The reference states no unit; it is probably percent. */
export const YOY_FILTERS = [
  'yoy_exports',
  'yoy_liabilities',
  'yoy_staff',
  'yoy_turnover',
  'yoy_ebitda',
  'yoy_profit',
] as const;

const ids = z.array(z.int());
const texts = z.array(z.string());

/** Range with the bounds `gte` and `lte`, both included. One bound may be left out. */
export const NumberRange = z.strictObject({
  gte: z.number().optional(),
  lte: z.number().optional(),
});
export type NumberRange = z.infer<typeof NumberRange>;

/** A year as a number or text, or a date `yyyy-mm-dd`. The reference does not say which form the API expects. */
export const IncorporationBound = z.union([z.int().min(0).max(9999), z.string().regex(/^\d{4}(-\d{2}-\d{2})?$/)]);
export const IncorporationRange = z.strictObject({
  gte: IncorporationBound.optional(),
  lte: IncorporationBound.optional(),
});
export type IncorporationRange = z.infer<typeof IncorporationRange>;

/** Range of turnover. `currency` defaults to USD. */
export const TurnoverRange = z.strictObject({
  gte: z.number().optional(),
  lte: z.number().optional(),
  currency: z.enum(TURNOVER_CURRENCIES).optional(),
});
export type TurnoverRange = z.infer<typeof TurnoverRange>;

/** Selected places. The reference says only "region/country, id from nomenclatures" and does not show the keys. */
export const LocationSelection = z.record(z.string(), z.unknown());

const sicCodes = Object.fromEntries(SIC_CODE_FILTERS.map((key) => [key, texts.optional()])) as Record<
  (typeof SIC_CODE_FILTERS)[number],
  z.ZodOptional<typeof texts>
>;

const yoyRanges = Object.fromEntries(YOY_FILTERS.map((key) => [key, NumberRange.optional()])) as Record<
  (typeof YOY_FILTERS)[number],
  z.ZodOptional<typeof NumberRange>
>;

/**
 * Filters of `POST /v2/prospecting` (section "Prospecting"). All are optional. A company must match every given filter.
 */
export const ProspectingFilters = z.strictObject({
  company_status: ids.optional(),
  number_of_employees: NumberRange.optional(),
  trading_activity: texts.optional(),
  activity_type: ids.optional(),
  company_type: ids.optional(),
  company_incorporation: IncorporationRange.optional(),
  legal_form: ids.optional(),
  industry_focus: texts.optional(),
  website_keywords: texts.optional(),
  nace: texts.optional(),
  isic: texts.optional(),
  ...sicCodes,
  location_regions: LocationSelection.optional(),
  /** The id of a place consists of the ids of the places that contain it, and its own id, joined by underscores. */
  location_countries: LocationSelection.optional(),
  location_zip: texts.optional(),
  /** City or state. */
  location_type: texts.optional(),
  financial_currency: texts.optional(),
  financial_turnover: TurnoverRange.optional(),
  financial_profit: NumberRange.optional(),
  financial_liabilities: NumberRange.optional(),
  financial_directors: ids.optional(),
  financial_employee_profit: NumberRange.optional(),
  financial_exports: NumberRange.optional(),
  foreign_parents: z.string().optional(),
  ownership_accounts: z.string().optional(),
  insights_visits: texts.optional(),
  insights_technologies: texts.optional(),
  insights_ranking: NumberRange.optional(),
  advance_companies: texts.optional(),
  ...yoyRanges,
  pronet: ProfileUrl.optional(),
});
export type ProspectingFilters = z.infer<typeof ProspectingFilters>;

/** Body of `POST /v2/prospecting`. The reference states neither a default nor a maximum for `per_page`. */
export const ProspectingRequest = z.strictObject({
  page: z.int().min(1).max(MAX_PAGE).optional(),
  per_page: PerPage.optional(),
  filters: ProspectingFilters.optional(),
});
export type ProspectingRequest = z.infer<typeof ProspectingRequest>;

/** One company of a search. */
export const ProspectingItem = z.looseObject({ id: Id, name: Text });
export type ProspectingItem = z.infer<typeof ProspectingItem>;

/** The documented answer of `POST /v2/prospecting`. */
export const ProspectingResponse = prospectingEnvelope(DocumentedCount, ProspectingItem);
export type ProspectingResponse = z.infer<typeof ProspectingResponse>;

/** A page as the client returns it. An item without an id becomes null. */
export const ProspectingPage = prospectingEnvelope(Count, usable(ProspectingItem));
export type ProspectingPage = z.infer<typeof ProspectingPage>;
