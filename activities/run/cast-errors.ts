import { ApplicationFailure, ApplicationFailureCategory, CancelledFailure } from '@temporalio/common';
import type { ErrorType } from '../../schemas/pipeline/error-type.js';
import type { LimitAccess } from '../../schemas/v2/error.js';
import { ApiError, isLimit, isRefusal, LimitError, TokenVerificationError } from '../../src/api/index.js';
import { shortenRetried } from './failure-size.js';
import { describeDiskError } from '../../src/store/disk-errors.js';
import { errorMessage, TidemarkError } from '../../src/base/errors.js';
import { HOUR_MS } from '../../src/base/time/time.js';

// Limits of the wait before Temporal retries. The API names the wait in `Retry-After`. A wait above one hour is
// shortened, so that the run tries again at least once an hour.
const LEAST_WAIT_MS = 1_000;
const MOST_WAIT_MS = HOUR_MS;
const PERMISSION_TODO = 'Ask the issuer of the API key for the permission, then start the run again.';

/**
 * Turns an error of an activity into an ApplicationFailure, which operators read in the Temporal UI. Decides the
 * failure's `type` and message, and whether Temporal retries. If the error has a remedy, the message ends with it.
 * @returns CancelledFailure and ApplicationFailure unchanged: `checkFolder` and `sendAlert` make their own failures
 */
export function castError(thrown: unknown): unknown {
  if (thrown instanceof CancelledFailure || thrown instanceof ApplicationFailure) return thrown;
  const error = describeDiskError(thrown);
  if (error instanceof TidemarkError)
    return failure(error.type, `${error.message} ${error.todo}`, error.retryable, error);
  if (error instanceof ApiError) return castApiError(error);
  return failure('Internal', errorMessage(error), true, error);
}

function castApiError(error: ApiError): ApplicationFailure {
  if (error instanceof TokenVerificationError) {
    return failure(
      'Unauthorized',
      `${error.message} Check TIDEMARK_API_KEY (tidemark doctor), then start the run again.`,
      false,
      error,
    );
  }
  if (isLimit(error)) return castLimit(error);
  if (isRefusal(error))
    return failure(
      'PermissionDenied',
      `${error.message}${accessInWords(error.access)}. ${PERMISSION_TODO}`,
      false,
      error,
    );
  if (error instanceof LimitError) return failure('QuotaReached', error.message, true, error);
  return error.retryable
    ? failure('ApiUnavailable', error.message, true, error)
    : failure('ApiRefused', error.message, false, error);
}

/**
 * Describes a rate limit for the Temporal UI: what was limited and when Temporal retries. The category "benign" tells
 * Temporal that the failure is expected.
 */
function castLimit(error: LimitError): ApplicationFailure {
  const { guard, access, retryAfterMs } = error;
  const wait = retryAfterMs === null ? null : Math.min(MOST_WAIT_MS, Math.max(LEAST_WAIT_MS, Math.ceil(retryAfterMs)));
  const again = wait === null ? 'after growing pauses' : `in ${Math.ceil(wait / 1_000)} s`;
  return ApplicationFailure.create({
    type: 'LimitError' satisfies ErrorType,
    message: `${error.message}${accessInWords(access)}. The fetched records are kept; Temporal retries the rest ${again}.`,
    nonRetryable: false,
    details: [{ guard, access }],
    category: ApplicationFailureCategory.BENIGN,
    cause: error,
    ...(wait === null ? {} : { nextRetryDelay: wait }),
  });
}

function accessInWords(access: LimitAccess | null): string {
  const { permission, permission_name, module, module_name } = access ?? {};
  const named = [
    ['Permission', permission_name ?? permission],
    ['module', module_name ?? module],
  ].flatMap(([what, name]) => (name ? [`${what} "${name}"`] : []));
  return named.length === 0 ? '' : ` (${named.join(', ')})`;
}

function failure(type: ErrorType, message: string, retryable: boolean, cause: unknown): ApplicationFailure {
  return shortenRetried(
    ApplicationFailure.create({
      type,
      message,
      nonRetryable: !retryable,
      ...(cause instanceof Error ? { cause } : {}),
    }),
  );
}
