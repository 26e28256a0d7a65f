import { ActivityFailure, isCancellation } from '@temporalio/workflow';

/**
 * Returns whether an error means that the run was cancelled. An attempt may fail before it learns of the cancellation,
 * for example when its worker dies. Temporal then reports the attempt's own failure without a retry; only `retryState`
 * names the cancellation.
 */
export function isCancelled(error: unknown): boolean {
  return isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED');
}
