import { workflowInfo } from '@temporalio/workflow';
import type { DataFolder } from '../../schemas/pipeline/run.js';

/**
 * Returns the data folder of the command or schedule that started this workflow. Activities that open a run or belong
 * to none get it, so that workers with another folder refuse them. Empty if another program started the workflow.
 */
export function ownFolder(): { folder?: DataFolder } {
  const folder = workflowInfo().memo?.['folder'] as DataFolder | undefined;
  return folder === undefined ? {} : { folder };
}
