import { z } from 'zod';

import { CountryCode, ProfileUrl } from './scalars.js';

/**
 * Body of `POST /v2/autocomplete`; the answer is a company record. A body that holds only `country_code` is answered
 * with the autocomplete field error, so that rule is the server's and not part of this shape.
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
