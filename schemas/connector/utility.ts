import { z } from 'zod';

/** Assumed answer of `GET /health`. The reference shows no answer (v1, section "Connector application"). */
export const HealthResponse = z.looseObject({ status: z.string() });
export type HealthResponse = z.infer<typeof HealthResponse>;
