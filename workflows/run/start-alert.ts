import {
  CancellationScope,
  ChildWorkflowCancellationType,
  log,
  ParentClosePolicy,
  startChild,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError, WorkflowIdReusePolicy } from '@temporalio/common';
import type { Alert } from '../../schemas/pipeline/alert.js';
import { notifyId } from '../ids.js';

/**
 * Starts the delivery of an alert and does not wait for it. The workflow id contains the alert's id, so Temporal starts
 * only one delivery for each night and cause, unless the earlier one gave up. Never throws, because a lost alert must
 * not make a night fail. Also works while the run is cancelled.
 */
export async function startAlert(alert: Alert): Promise<void> {
  try {
    await CancellationScope.nonCancellable(() =>
      startChild('notify', {
        workflowId: notifyId(alert.id),
        // A delivery that gave up may be tried again, for example by a repeated night.
        workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE_FAILED_ONLY,
        args: [alert],
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        staticSummary: alert.title,
      }),
    );
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return;
    log.error('an alert could not be started', { alert: alert.id, error: String(error) });
  }
}
