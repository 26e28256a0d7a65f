import { z } from 'zod';

/** Causes of alerts, in the order of docs/configuration.md. A target may choose some of them (`on`). */
export const CAUSES = ['failed', 'partial', 'held-back', 'quota', 'drift', 'warning', 'late'] as const;
export const Cause = z.enum(CAUSES);
export type Cause = z.infer<typeof Cause>;

/** Which alerts a run sends. Part of a run's context, so that the run starts only alerts that some target takes. */
export interface AlertSettings {
  causes: Cause[];
}
