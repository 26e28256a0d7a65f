import type { WorkflowHandle } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';

/** One execution of a workflow; later ones continue as new from the previous. */
export interface Execution {
  runId: string;
  /** Arguments of the workflow: its input and the state of the previous execution. */
  args: unknown[];
  signals: string[];
  /** Names of the activities that it scheduled. */
  activities: string[];
}

/** All executions of a workflow that continues as new, in order. */
export async function executionsOf(temporal: TestWorkflowEnvironment, handle: WorkflowHandle): Promise<Execution[]> {
  const { workflow } = temporal.client;
  const executions: Execution[] = [];
  for (let runId = await firstRunId(handle); runId !== '';) {
    const { events } = await workflow.getHandle(handle.workflowId, runId).fetchHistory();
    const all = events ?? [];
    const payloads = all[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    executions.push({
      runId,
      args: payloads.map(({ data }) => (data?.length ? JSON.parse(Buffer.from(data).toString()) : null) as unknown),
      signals: all.flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? []),
      activities: all.flatMap((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? []),
    });
    runId = all.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId ?? '';
  }
  return executions;
}

async function firstRunId(handle: WorkflowHandle): Promise<string> {
  const { raw } = await handle.describe();
  return raw.workflowExecutionInfo?.firstRunId ?? '';
}
