import { z } from 'zod';

/** A company to identify: a row of a list, with normalized values (src/resolve/normalize.ts). */
export interface CompanyQuestion {
  name?: string;
  /** ISO 3166 alpha-2. */
  country_code?: string;
  state?: string;
  postal_code?: string;
  registration_number?: string;
  vat_number?: string;
  /** Legal entity identifier, ISO 17442. */
  lei_number?: string;
  ticker?: string;
  website?: string;
  /** E-mail address; only its domain unless `personalData` is `contacts`. */
  email?: string;
  phone?: string;
  /** Address of a professional profile (`pronet`). */
  profile?: string;
  /** Full name of an employee; only with `personalData: contacts`. */
  person?: string;
}

/** The lookup that found a company. */
export type MatchKind = 'registration' | 'lei' | 'website' | 'profile' | 'email' | 'phone' | 'person' | 'name';

/** A person's decision about an ambiguous question. */
export interface MatchDecision {
  /** Canonical JSON of the question. */
  question: string;
  /** Decimal digits; null: none of the candidates. */
  company_id: string | null;
}

// Accept only files in data/resolve. Otherwise anyone who can start a run could read any file of the worker.
export const ResolveCompaniesInput = z.strictObject({
  file: z
    .string()
    .regex(
      /^(resolve\/)?[\w-][\w.-]{0,120}\.(csv|ndjson)$/,
      'a CSV file, or a list that `tidemark resolve` prepared, in the folder resolve/ of the data folder',
    ),
});
export type ResolveCompaniesInput = z.infer<typeof ResolveCompaniesInput>;
