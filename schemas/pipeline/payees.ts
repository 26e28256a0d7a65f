import { z } from 'zod';
import { LONGEST_DURATION } from './limits.js';

/**
 * A payee to check: one row of the list given to `tidemark payees check`. The reference documents only `id_scheme`,
 * `holding_entity` and the identity types (reference v2, release notes of 2 October 2026). It does not name the other
 * fields.
 */
export interface Payee {
  /** ISO 3166 alpha-2. */
  country_code?: string;
  id_scheme?: string;
  /** Account number, IBAN or proxy identifier. */
  id: string;
  /** Code of the bank. The scheme decides its kind: BIC, CNAPS, BRBKBR, ZANCC or another. */
  holding_entity?: string;
  /** `NIDN` or `COID`, for example. */
  identity_type?: string;
  identity_value?: string;
  company_id?: string;
  registration_number?: string;
  name?: string;
}

// Accept only files in data/payees. Otherwise, anyone who can start a run could read any file that the worker can read.
export const CheckPayeesInput = z.strictObject({
  file: z.string().regex(/^(payees\/)?[\w-][\w.-]{0,120}\.csv$/, 'a CSV file in the folder payees/ of the data folder'),
  /** Age in seconds. A payee whose answer is older is checked again. */
  recheckAfterSeconds: z.int().min(0).max(LONGEST_DURATION).optional(),
  /** False: do not read the reports. */
  reports: z.boolean().optional(),
});
export type CheckPayeesInput = z.infer<typeof CheckPayeesInput>;

/** Age in days. A payee whose answer is older is checked again, unless the input sets another age. */
export const PAYEE_DAYS = 30;
