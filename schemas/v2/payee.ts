import { z } from 'zod';

/** Decisions of a payee check. */
export const PayeeDecision = z.enum(['OK_TO_PAY', 'REVIEW_BEFORE_PAYING', 'DO_NOT_PAY']);
export type PayeeDecision = z.infer<typeof PayeeDecision>;

/** Proxy identifiers added as `id_scheme` values by the release of 2 October 2026. */
export const PAYEE_PROXY_SCHEMES = ['EMAL', 'MBNO', 'FPSID', 'NRIC'] as const;

/**
 * Body of the payee routes. Its fields are not shown, but for those the release notes name: sent as it is. An account
 * number scheme (`…ACNR`) without `holding_entity` is refused with 400, `TXID` for Brazil is refused.
 */
export const PayeeRequest = z.looseObject({ id_scheme: z.string().optional(), holding_entity: z.unknown().optional() });
export type PayeeRequest = z.infer<typeof PayeeRequest>;

/** Any answer of the payee routes. */
export const PayeePayload = z.unknown();
