import { z } from 'zod';

/** One fault of a request: where (`["body", "year"]`), in words, and of which kind (`missing`, …). */
export const ValidationItem = z.looseObject({
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
  type: z.string(),
});
export type ValidationItem = z.infer<typeof ValidationItem>;

/** Status 422 of the connector (reference v1, section "Connector validation error"). */
export const ValidationErrorBody = z.looseObject({ detail: z.array(ValidationItem) });
export type ValidationErrorBody = z.infer<typeof ValidationErrorBody>;
