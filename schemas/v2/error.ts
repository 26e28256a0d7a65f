import { z } from 'zod';

/*
 * Error bodies of version 2 (section "Errors"). Their HTTP statuses are not stated, so the shape alone has to tell them
 * apart; TokenVerificationError and InternalError share a shape (see src/api-client/classify.ts for what decides).
 */

/** TokenVerificationError and InternalError; gateways answer 404, 405 and 429 in this shape too. */
export const DetailError = z.looseObject({ detail: z.string() });
export type DetailError = z.infer<typeof DetailError>;

/** InvalidRequest: a field name to its messages. */
export const InvalidRequest = z.record(z.string(), z.array(z.string()));
export type InvalidRequest = z.infer<typeof InvalidRequest>;

/** What the caller tried to use when a limit was reached. */
export const LimitAccess = z.looseObject({
  permission: z.string().nullish(),
  permission_name: z.string().nullish(),
  module: z.string().nullish(),
  module_name: z.string().nullish(),
  app: z.string().nullish(),
  app_name: z.string().nullish(),
});
export type LimitAccess = z.infer<typeof LimitAccess>;

/** Documented guards: the daily browsing limit, and any other limit. */
export const LIMIT_GUARDS = ['limits.daily', 'limit'] as const;

/** LimitError: a usage limit is reached. */
export const LimitErrorBody = z.looseObject({
  access: LimitAccess.nullish(),
  error_guard: z.string(),
  message_guard: z.string().nullish(),
});
export type LimitErrorBody = z.infer<typeof LimitErrorBody>;

/** Autocomplete field error: same shape as an InvalidRequest about a field called `fields`; the route tells. */
export const AutocompleteErrorBody = z.looseObject({ fields: z.array(z.string()) });
export type AutocompleteErrorBody = z.infer<typeof AutocompleteErrorBody>;
