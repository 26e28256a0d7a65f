import { z } from 'zod';

/*
 * Ultimate beneficial owners (section "Other routes named for version 2"). Payloads are not shown: natural persons with
 * effective ownership over every route, a threshold the caller chooses, a flag for whether the answer is conclusive,
 * and jobs that enrich unresolved chains. Parameters are sent and answers kept as they are.
 */

/** Parameters of the UBO routes: their names are not shown. */
export const OwnershipParameters = z.record(z.string(), z.unknown());
export type OwnershipParameters = z.infer<typeof OwnershipParameters>;

/** Any answer of the UBO routes. */
export const OwnershipPayload = z.unknown();
