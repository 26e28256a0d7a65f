import { z } from 'zod';

/*
 * Ultimate beneficial owners (section "Other routes named for version 2"). The reference shows no request or answer,
 * but says:
 * - owners are natural persons who effectively own a company, by any route of ownership
 * - the caller chooses a threshold
 * - a flag says whether the answer is conclusive
 * - jobs enrich unresolved chains
 *
 * Parameters are sent verbatim, and answers are kept as received.
 */

/** Parameters of the UBO routes; the reference does not name them. */
export const OwnershipParameters = z.record(z.string(), z.unknown());
export type OwnershipParameters = z.infer<typeof OwnershipParameters>;

/** Any answer of the UBO routes. */
export const OwnershipPayload = z.unknown();
