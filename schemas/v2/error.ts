import { z } from 'zod';

/*
 * Error bodies of version 2 (section "Errors"). The reference states no HTTP statuses, so the client recognizes an
 * error by its shape. TokenVerificationError and InternalError have the same shape; src/api/classify.ts tells
 * them apart.
 */

/** Body of TokenVerificationError and InternalError. Gateways also use this shape for 404, 405 and 429. */
export const DetailError = z.looseObject({ detail: z.string() });
export type DetailError = z.infer<typeof DetailError>;

/** Body of InvalidRequest: a list of messages for each field name. */
export const InvalidRequest = z.record(z.string(), z.array(z.string()));
export type InvalidRequest = z.infer<typeof InvalidRequest>;

/** The permission, module and app that the refused call needs. */
export const LimitAccess = z.looseObject({
  permission: z.string().nullish(),
  permission_name: z.string().nullish(),
  module: z.string().nullish(),
  module_name: z.string().nullish(),
  app: z.string().nullish(),
  app_name: z.string().nullish(),
});
export type LimitAccess = z.infer<typeof LimitAccess>;

/** Body of LimitError: a usage limit is reached. */
export const LimitErrorBody = z.looseObject({
  access: LimitAccess.nullish(),
  error_guard: z.string(),
  message_guard: z.string().nullish(),
});
export type LimitErrorBody = z.infer<typeof LimitErrorBody>;

/**
 * Body of the autocomplete field error. An InvalidRequest about a field named `fields` has the same shape, so the
 * client uses the route to tell them apart.
 */
export const AutocompleteErrorBody = z.looseObject({ fields: z.array(z.string()) });
export type AutocompleteErrorBody = z.infer<typeof AutocompleteErrorBody>;
