import { ActivityFailure, isCancellation } from '@temporalio/workflow';

/**
 * Returns whether an error means that the run was cancelled. An attempt may fail before it learns of the cancellation,
 * for example when its worker dies. Temporal then reports the failure of the attempt. Only `retryState` shows that the
 * cause was a cancellation.
 */
export function isCancelled(error: unknown): boolean {
  return isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED');
}
