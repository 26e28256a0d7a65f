import { z } from 'zod';

import { CountryCode, ProfileUrl } from './scalars.js';

/**
 * Body of `POST /v2/autocomplete` (reference v2, section "Autocomplete"). The answer is a company record. The API
 * refuses a body with `country_code` alone (autocomplete field error). This schema does not check that rule.
 */
export const AutocompleteRequest = z.strictObject({
  country_code: CountryCode.optional(),
  name: z.string().optional(),
  registration_number: z.string().optional(),
  vat_number: z.string().optional(),
  ticker: z.string().optional(),
  website: z.string().optional(),
  email: z.string().optional(),
  pronet: ProfileUrl.optional(),
});
export type AutocompleteRequest = z.infer<typeof AutocompleteRequest>;
