import { z } from 'zod';

import { Company } from '../v2/company.js';
import { FinancialReport } from '../v2/financial-report.js';
import { ProspectingPage } from '../v2/prospecting.js';
import { Id, Text } from '../v2/scalars.js';

/*
 * The nine `/api/*` routes (reference v1, section "Connector application"). The reference documents the requests.
 * Unknown fields are accepted, because the reference does not forbid them. The reference shows no answers. The answer
 * shapes here are assumed from the same calls of version 2. The sandbox sends them, but a client must not rely on them.
 */

/** These routes expect the API key in the body, not in a header. */
const api_key = z.string();
const optionalText = z.string().nullish();

/** Body of `POST /api/verify-token`. */
export const VerifyTokenRequest = z.object({ api_key });
export type VerifyTokenRequest = z.infer<typeof VerifyTokenRequest>;

/** Body of `POST /api/company-by-url`. */
export const CompanyByUrlRequest = z.object({ url: z.string(), api_key });
export type CompanyByUrlRequest = z.infer<typeof CompanyByUrlRequest>;

/** Body of `POST /api/company-by-pronet`. */
export const CompanyByPronetRequest = z.object({ pronet_url: z.string(), api_key });
export type CompanyByPronetRequest = z.infer<typeof CompanyByPronetRequest>;

/** Body of `POST /api/company-financials`. */
export const CompanyFinancialsRequest = z.object({ company_id: z.string(), year: z.int(), api_key });
export type CompanyFinancialsRequest = z.infer<typeof CompanyFinancialsRequest>;

/** Body of `POST /api/autocomplete`. */
export const ConnectorAutocompleteRequest = z.object({
  api_key,
  country_code: optionalText,
  name: optionalText,
  registration_number: optionalText,
  vat_number: optionalText,
  ticker: optionalText,
  website: optionalText,
  email: optionalText,
  pronet: optionalText,
});
export type ConnectorAutocompleteRequest = z.input<typeof ConnectorAutocompleteRequest>;

/** Body of `POST /api/nomenclature`. */
export const NomenclatureRequest = z.object({ api_key, nomenclature_type: z.string(), parent: optionalText });
export type NomenclatureRequest = z.input<typeof NomenclatureRequest>;

/** Body of `POST /api/prospecting`. */
export const ConnectorProspectingRequest = z.object({
  api_key,
  page: z.int().default(1),
  per_page: z.int().default(10),
  filters: z.record(z.string(), z.unknown()).nullish(),
  sorting: z.array(z.record(z.string(), z.unknown())).nullish(),
});
export type ConnectorProspectingRequest = z.input<typeof ConnectorProspectingRequest>;

/** Body of `POST /api/company-details` and `POST /api/company-ownership`. */
export const CompanyIdRequest = z.object({ company_id: z.string(), api_key });
export type CompanyIdRequest = z.infer<typeof CompanyIdRequest>;

/** Assumed shape of the answer: whether the API key is valid. */
export const VerifyTokenResponse = z.looseObject({ valid: z.boolean() });
export type VerifyTokenResponse = z.infer<typeof VerifyTokenResponse>;

/** Assumed shape of the answer: the company record of version 2. */
export const ConnectorCompany = Company;
export type ConnectorCompany = z.infer<typeof ConnectorCompany>;

/** The reference shows no answer here. Tidemark assumes the financial report of version 2, keyed by year. */
export const ConnectorFinancials = FinancialReport;
export type ConnectorFinancials = z.infer<typeof ConnectorFinancials>;

/** Assumed shape of the answer: the search page of version 2. */
export const ConnectorProspectingPage = ProspectingPage;
export type ConnectorProspectingPage = z.infer<typeof ConnectorProspectingPage>;

/** Assumed shape of one entry of a lookup list. Filters take its `id`. */
export const NomenclatureItem = z.looseObject({ id: Id, name: z.string(), parent: Text });
export type NomenclatureItem = z.infer<typeof NomenclatureItem>;

/** Assumed shape of the answer: `items` holds the requested list. */
export const NomenclatureResponse = z.looseObject({
  nomenclature_type: z.string(),
  parent: Text,
  items: z.array(NomenclatureItem),
});
export type NomenclatureResponse = z.infer<typeof NomenclatureResponse>;
