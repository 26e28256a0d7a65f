import { ActivityFailure, isCancellation } from '@temporalio/workflow';

/**
 * Whether an error tells of a cancellation. An attempt that fails between being cancelled and hearing of it (as does one
 * whose worker was killed) is not tried again; its failure has its own cause, and only the retry state tells why it ended.
 */
export function isCancelled(error: unknown): boolean {
  return isCancellation(error) || (error instanceof ActivityFailure && error.retryState === 'CANCEL_REQUESTED');
}
