import { z } from 'zod';

/** Assumed answer of `GET /health` (reference v1, section "Connector application": declared empty). */
export const HealthResponse = z.looseObject({ status: z.string() });
export type HealthResponse = z.infer<typeof HealthResponse>;
