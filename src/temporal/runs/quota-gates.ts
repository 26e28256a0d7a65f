import type { Client } from '@temporalio/client';
import type { GateReport } from '../../../schemas/pipeline/gate.js';
import { QUOTA_GATE } from '../../../workflows/queues.js';

const ANSWER_WITHIN_MS = 2_000;

/** A quota gate with at least one waiting run, and what it answers. */
export interface OpenGate extends GateReport {
  workflowId: string;
}

/**
 * Reads all quota gates of the namespace. Leaves out gates without a waiting run. Also leaves out gates that do not
 * answer, because no worker runs.
 * @throws ServiceError when the server does not answer
 */
export async function readGates(client: Client): Promise<OpenGate[]> {
  const query = `WorkflowType = '${QUOTA_GATE}' AND ExecutionStatus = 'Running'`;
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) ids.push(workflowId);
  const answers = ids.map(async (workflowId): Promise<OpenGate[]> => {
    const asked = client.connection.withDeadline(Date.now() + ANSWER_WITHIN_MS, async () =>
      client.workflow.getHandle(workflowId).query<GateReport>('gate'),
    );
    const report = await asked.catch(() => null);
    return report === null || report.waiting.length === 0 ? [] : [{ workflowId, ...report }];
  });
  return (await Promise.all(answers)).flat();
}
