import { WorkflowFailedError, type Client, type WorkflowExecutionInfo } from '@temporalio/client';
import type { ErrorType } from '../../schemas/pipeline/error-type.js';
import { CRAWL_QUEUE, WAREHOUSE_QUEUE } from '../../workflows/queues.js';
import { DATE_ATTRIBUTE } from '../../workflows/search-attributes.js';
import { failureMessage, failureType } from './failure.js';

// Temporal lists the newest runs first. Read the failures of at most this many.
const READ_AT_MOST = 20;

/** A run that failed because somebody started it with a wrong input or an unknown type. */
export interface RefusedInput {
  workflowId: string;
  run: string;
  type: string;
  /** ISO instant in UTC. */
  failedAt: string;
  /** What is wrong, and what is allowed. */
  error: string;
}

/**
 * Reads the runs that failed at their input since an instant, newest first. Such a run has neither a market nor a date,
 * and the warehouse has no record of it. Leaves out a run if its workflow id was started again later.
 */
export async function refusedInputs(client: Client, since: Date): Promise<RefusedInput[]> {
  const queues = [CRAWL_QUEUE, WAREHOUSE_QUEUE].map((queue) => `'${queue}'`).join(', ');
  const query = `ExecutionStatus = 'Failed' AND TaskQueue IN (${queues}) AND CloseTime > '${since.toISOString()}'`;
  const suspects: WorkflowExecutionInfo[] = [];
  for await (const info of client.workflow.list({ query, pageSize: 100 })) {
    // A run with a valid input has a date.
    if (info.typedSearchAttributes.get(DATE_ATTRIBUTE) === undefined) suspects.push(info);
    if (suspects.length >= READ_AT_MOST) break;
  }
  const read = await Promise.all(suspects.map(async (info) => readRefusal(client, info)));
  return read.filter((one) => one !== null).toSorted((a, b) => b.failedAt.localeCompare(a.failedAt));
}

async function readRefusal(client: Client, info: WorkflowExecutionInfo): Promise<RefusedInput | null> {
  const { workflowId, runId, type, closeTime, startTime } = info;
  const [latest, failure] = await Promise.all([
    client.workflow.getHandle(workflowId).describe(),
    client.workflow
      .getHandle(workflowId, runId, { followRuns: false })
      .result()
      .then(
        () => null,
        (error: unknown) => error,
      ),
  ]);
  const refused: ErrorType = 'InvalidInput';
  if (latest.runId !== runId || !(failure instanceof WorkflowFailedError) || failureType(failure) !== refused)
    return null;
  return {
    workflowId,
    run: runId,
    type,
    failedAt: (closeTime ?? startTime).toISOString(),
    error: failureMessage(failure),
  };
}
