import { z } from 'zod';

/** Names and statuses of version 1 errors (section "Version 1 error body"). */
export const V1_ERROR_STATUS = {
  TokenVerificationError: 401,
  InvalidRequest: 406,
  InternalError: 500,
  IdNotFound: 404,
  ProductPermissionDenied: 403,
} as const;
export type V1ErrorName = keyof typeof V1_ERROR_STATUS;

/** Error body of version 1. The number of the error is in `code` or in `error_code`. */
export const V1ErrorBody = z.looseObject({
  error_name: z.string(),
  code: z.int().nullish(),
  error_code: z.int().nullish(),
  message: z.string().nullish(),
  /**
   * Details of the error: `token` of a TokenVerificationError, `param` of an InvalidRequest, `id` and more of an
   * IdNotFound. Empty for all other errors.
   */
  data: z.record(z.string(), z.unknown()).nullish(),
});
export type V1ErrorBody = z.infer<typeof V1ErrorBody>;
