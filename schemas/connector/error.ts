import { z } from 'zod';

/** One fault of a request. `loc` is its place (`["body", "year"]`), `type` its kind (such as `missing`). */
export const ValidationItem = z.looseObject({
  loc: z.array(z.union([z.string(), z.int()])),
  msg: z.string(),
  type: z.string(),
});
export type ValidationItem = z.infer<typeof ValidationItem>;

/** Body of the connector's status 422 (reference v1, section "Connector validation error"). */
export const ValidationErrorBody = z.looseObject({ detail: z.array(ValidationItem) });
export type ValidationErrorBody = z.infer<typeof ValidationErrorBody>;
