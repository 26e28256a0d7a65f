import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import type { ErrorType } from '../schemas/pipeline/error-type.js';
import { ApiError, LimitError, TokenVerificationError } from '../src/api-client/index.js';
import { errorMessage, TidemarkError } from '../src/core/errors.js';

/**
 * Any error as the ApplicationFailure an operator reads in the UI: a stable `type`, a message that ends in what to do,
 * and whether Temporal should try again. The one place that decides it.
 */
export function castError(error: unknown): unknown {
  if (error instanceof CancelledFailure || error instanceof ApplicationFailure) return error;
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
  if (error instanceof LimitError) return failure('QuotaReached', error.message, true, error);
  return error.retryable
    ? failure('ApiUnavailable', error.message, true, error)
    : failure('ApiRefused', error.message, false, error);
}

function failure(type: ErrorType, message: string, retryable: boolean, cause: unknown): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    nonRetryable: !retryable,
    ...(cause instanceof Error ? { cause } : {}),
  });
}
