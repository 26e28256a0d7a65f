import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { CRAWL_QUEUE } from '../../workflows/queues.js';
import { inParallel } from '../base/in-parallel.js';

const AT_ONCE = 10;

/** Descriptions of all open workflows. */
export type OpenWorkflows = readonly WorkflowExecutionDescription[];

/**
 * Describes all open workflows of Tidemark.
 * @throws ServiceError when the server does not answer
 */
export async function describeOpen(client: Client): Promise<OpenWorkflows> {
  const ids: string[] = [];
  const query = `TaskQueue = '${CRAWL_QUEUE}' AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  const found: WorkflowExecutionDescription[] = [];
  await inParallel(ids, AT_ONCE, async (id) => {
    // The list is about a second late, so the workflow may be gone.
    const description = await client.workflow
      .getHandle(id)
      .describe()
      .catch((error: unknown) => {
        if (error instanceof Error && error.name === 'WorkflowNotFoundError') return null;
        throw error;
      });
    if (description !== null) found.push(description);
  });
  return found;
}
