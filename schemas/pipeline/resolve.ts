import { z } from 'zod';

/** A company to identify: one row of a list, with normalized values (src/crawl/streams/matches/read-questions.ts). */
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
  /** E-mail address. Only its domain is kept unless `personalData` is `contacts`. */
  email?: string;
  phone?: string;
  /** Address of the company's profile on a professional network (`pronet`). */
  profile?: string;
  /** Full name of an employee. Kept only with `personalData: contacts`. */
  person?: string;
}

/** The kind of lookup that found a company. */
export type MatchKind = 'registration' | 'lei' | 'website' | 'profile' | 'email' | 'phone' | 'person' | 'name';

/** A person's decision about a question for which the API found several companies. */
export interface MatchDecision {
  /** Canonical JSON of the question. */
  question: string;
  /** Id of the chosen company, as decimal digits; null: none of the candidates. */
  company_id: string | null;
}

// Accept only files in data/resolve. Otherwise, anyone who can start a run could read any file that the worker can
// read.
export const ResolveCompaniesInput = z.strictObject({
  file: z
    .string()
    .regex(
      /^(resolve\/)?[\w-][\w.-]{0,120}\.(csv|json)$/,
      'a CSV file, or a list that `tidemark resolve` prepared, in the folder resolve/ of the data folder',
    ),
});
export type ResolveCompaniesInput = z.infer<typeof ResolveCompaniesInput>;
