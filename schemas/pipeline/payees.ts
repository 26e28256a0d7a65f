import { z } from 'zod';

/**
 * A payee to check: a row of the list given to `tidemark payees check`. The reference names only `id_scheme`,
 * `holding_entity`, identity types and their rules (reference v2, release notes of 2 October 2026).
 */
export interface Payee {
  /** ISO 3166 alpha-2. */
  country_code?: string;
  id_scheme?: string;
  /** Account number, IBAN or proxy identifier. */
  id: string;
  /** Code of the bank: BIC, CNAPS, BRBKBR, ZANCC or another code, by scheme. */
  holding_entity?: string;
  /** `NIDN` or `COID`, for example. */
  identity_type?: string;
  identity_value?: string;
  company_id?: string;
  registration_number?: string;
  name?: string;
}

// Accept only files in data/payees. Otherwise anyone who can start a run could read any file of the worker.
export const CheckPayeesInput = z.strictObject({
  file: z.string().regex(/^(payees\/)?[\w-][\w.-]{0,120}\.csv$/, 'a CSV file in the folder payees/ of the data folder'),
  /** Age in seconds from which an answer is checked again. */
  recheckAfterSeconds: z.int().min(0).max(3_153_600_000).optional(),
  /** False: do not read the reports. */
  reports: z.boolean().optional(),
});
export type CheckPayeesInput = z.infer<typeof CheckPayeesInput>;

/** Age in days from which an answer is checked again, unless the input says otherwise. */
export const PAYEE_DAYS = 30;
