import { z } from 'zod';

/** Decisions of a payee check. */
export const PayeeDecision = z.enum(['OK_TO_PAY', 'REVIEW_BEFORE_PAYING', 'DO_NOT_PAY']);
export type PayeeDecision = z.infer<typeof PayeeDecision>;

/** Kinds of proxy identifiers. The release of 2 October 2026 added them as values of `id_scheme`. */
export const PAYEE_PROXY_SCHEMES = ['EMAL', 'MBNO', 'FPSID', 'NRIC'] as const;

/**
 * Body of the payee routes, sent unchanged. The reference shows only the fields that its release notes name. The API
 * refuses an account number scheme (`…ACNR`) without `holding_entity` (status 400). The API also refuses `TXID` for
 * Brazil.
 */
export const PayeeRequest = z.looseObject({ id_scheme: z.string().optional(), holding_entity: z.unknown().optional() });
export type PayeeRequest = z.infer<typeof PayeeRequest>;

/** Any answer of the payee routes. */
export const PayeePayload = z.unknown();
