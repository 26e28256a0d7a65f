import { z } from 'zod';

/*
 * Request bodies of the connector application (reference: "Version 1 and Connector Application", section "Connector
 * application"). Extra fields are ignored, as an interface that declares its bodies this way does.
 */

const api_key = z.string();
const optionalText = z.string().nullish();

export const VerifyTokenBody = z.object({ api_key });
export const CompanyByUrlBody = z.object({ url: z.string(), api_key });
export const CompanyByPronetBody = z.object({ pronet_url: z.string(), api_key });
export const CompanyFinancialsBody = z.object({ company_id: z.string(), year: z.int(), api_key });
export const ConnectorAutocompleteBody = z.object({
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
export const NomenclatureBody = z.object({ api_key, nomenclature_type: z.string(), parent: optionalText });
export const ConnectorProspectingBody = z.object({
  api_key,
  page: z.int().default(1),
  per_page: z.int().default(10),
  filters: z.record(z.string(), z.unknown()).nullish(),
  sorting: z.array(z.record(z.string(), z.unknown())).nullish(),
});
export const CompanyBody = z.object({ company_id: z.string(), api_key });

/** Query or form of the sign-in screens. */
export const SessionField = z.object({ session: z.string() });
export const KeyForm = z.object({ session: z.string(), api_key: z.string() });
export const TrialForm = z.object({ session: z.string(), email: z.string().default('') });
export const VerifyForm = z.object({
  session: z.string(),
  email: z.string().default(''),
  code: z.string().default(''),
});
export const SsoCallbackQuery = z.object({
  code: z.string().default(''),
  state: z.string().default(''),
  error: z.string().default(''),
});
