import type { Client } from '@temporalio/client';

/**
 * Counts the runs that wait for the daily quota of an API key.
 * @param gate workflow id of the quota gate
 * @throws ServiceError when the server does not answer
 */
export async function countWaitingRuns(client: Client, gate: string): Promise<number> {
  const query = `WorkflowId = '${gate}' AND ExecutionStatus = 'Running'`;
  const { count } = await client.workflow.count(query);
  return count === 0 ? 0 : client.workflow.getHandle(gate).query<number>('waiting');
}
