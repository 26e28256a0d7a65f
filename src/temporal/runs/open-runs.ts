import type { Client } from '@temporalio/client';
import { PHASE_ATTRIBUTE } from '../../../workflows/search-attributes.js';
import type { OpenRun } from '../../serve/metrics/runs.js';
import { marketOf, TYPES } from './last-runs.js';

const OPEN = `WorkflowType IN (${TYPES}) AND ExecutionStatus = 'Running'`;

/**
 * Lists the open runs with their phases.
 * @throws ServiceError when the server does not answer
 */
export async function listOpenRuns(client: Client): Promise<OpenRun[]> {
  const runs: OpenRun[] = [];
  for await (const info of client.workflow.list({ query: OPEN })) {
    runs.push({
      workflowType: info.type,
      market: marketOf(info),
      // A run has no phase before a worker opens it, or if the namespace lacks the search attribute.
      phase: info.typedSearchAttributes.get(PHASE_ATTRIBUTE) ?? 'unknown',
    });
  }
  return runs;
}
