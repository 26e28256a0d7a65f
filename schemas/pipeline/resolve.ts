import { z } from 'zod';

/** A company to identify: a row of the list given to `tidemark resolve`. */
export interface CompanyQuestion {
  name?: string;
  /** ISO 3166 alpha-2. */
  country_code?: string;
  state?: string;
  registration_number?: string;
  vat_number?: string;
  ticker?: string;
  website?: string;
  email?: string;
  /** Address of a professional profile (`pronet`). */
  profile?: string;
}

/** The field by which a company was identified. */
export type MatchKind = 'registration' | 'website' | 'profile' | 'email' | 'name';

// Accept only files in data/resolve. Otherwise anyone who can start a run could read any file of the worker.
export const ResolveCompaniesInput = z.strictObject({
  file: z
    .string()
    .regex(/^(resolve\/)?[\w-][\w.-]{0,120}\.csv$/, 'a CSV file in the folder resolve/ of the data folder'),
});
export type ResolveCompaniesInput = z.infer<typeof ResolveCompaniesInput>;
