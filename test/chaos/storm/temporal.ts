import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { RunResult } from '../../../schemas/pipeline/run.js';

const CRAWL_QUEUE = 'tidemark-crawl';
// temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY
const ACTIVITIES = 2;

/** Whether the server has seen this worker poll for crawl work. */
export async function polls(client: Client, identity: string): Promise<boolean> {
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: CRAWL_QUEUE },
    taskQueueType: ACTIVITIES,
  });
  return (pollers ?? []).some((poller) => poller.identity?.startsWith(identity));
}

export interface RunState {
  running: boolean;
  runId: string;
  startedAt: Date;
  /** Running activities and the workers that run them. */
  activities: { type: string; worker: string; attempt: number; failure: string }[];
}

/** The newest execution under a workflow id; null when there is none. */
export async function describeRun(client: Client, workflowId: string): Promise<RunState | null> {
  try {
    const { status, runId, startTime, raw } = await client.workflow.getHandle(workflowId).describe();
    return {
      running: status.name === 'RUNNING',
      runId,
      startedAt: startTime,
      activities: (raw.pendingActivities ?? []).map((activity) => ({
        type: activity.activityType?.name ?? '',
        worker: activity.lastWorkerIdentity ?? '',
        attempt: activity.attempt ?? 0,
        failure: activity.lastFailure?.message ?? '',
      })),
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** A run's result, or why it failed. */
export async function resultOf(client: Client, workflowId: string): Promise<RunResult | { failed: string }> {
  try {
    return (await client.workflow.getHandle(workflowId).result()) as RunResult;
  } catch (error) {
    const { cause } = error as { cause?: { message?: string; cause?: { message?: string } } };
    return { failed: cause?.cause?.message ?? cause?.message ?? String(error) };
  }
}
