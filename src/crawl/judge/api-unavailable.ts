import type { ApiError } from '../../api/index.js';
import { TidemarkError } from '../../base/errors.js';

/**
 * Makes the error for an attempt that ends because every request fails. `failed` is the number of consecutive failed
 * requests.
 */
export function apiUnavailable(fault: ApiError, failed: number): TidemarkError {
  return new TidemarkError(
    'ApiUnavailable',
    `${failed} requests in a row failed, and /v2/metrics fails too. Last error: ${fault.message}`,
    {
      todo: 'Check that the API is up (tidemark doctor). The run waits and continues by itself. It does not fetch landed records again.',
      retryable: true,
      cause: fault,
    },
  );
}
