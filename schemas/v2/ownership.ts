import { z } from 'zod';

/*
 * Ultimate beneficial owners (UBO; section "Other routes named for version 2"). The reference shows no request or
 * answer, but says:
 * - Owners are natural persons who effectively own a company, directly or through other companies.
 * - The caller chooses a threshold.
 * - A flag says whether the answer is conclusive.
 * - Jobs enrich chains of ownership that are not resolved yet.
 *
 * Parameters are sent unchanged, and answers are kept as received.
 */

/** Parameters of the UBO routes. The reference does not name them. */
export const OwnershipParameters = z.record(z.string(), z.unknown());
export type OwnershipParameters = z.infer<typeof OwnershipParameters>;

/** Any answer of the UBO routes. */
export const OwnershipPayload = z.unknown();
