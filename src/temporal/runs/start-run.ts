import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { DataFolder, WorkflowType } from '../../../schemas/pipeline/run.js';
import { CRAWL_QUEUE } from '../../../workflows/queues.js';
import { DATE_ATTRIBUTE, MARKET_ATTRIBUTE } from '../../../workflows/search-attributes.js';
import { folderMemo } from '../folder-memo.js';

/** A top-level workflow to start or join. */
export interface RunRequest {
  type: WorkflowType | 'rebuildWarehouse';
  workflowId: string;
  input: Record<string, unknown>;
  market: string | null;
  date: string | null;
  /** One line of text, shown in the list of the Temporal UI. */
  summary: string;
  /** Markdown text, shown on the run's page in the Temporal UI. */
  details: string;
}

/** A run that was started or joined. */
export interface StartedRun {
  handle: WorkflowHandle;
  /**
   * True when a run that does the same work was already in progress: a run with this id, or a scheduled run of the same
   * market and date.
   */
  joined: boolean;
  /** Start time on the server's clock. */
  startedAt: Date;
}

/**
 * Starts a run. If a run that does the same work is already in progress, joins that run: a run with the same workflow
 * id (workflows/ids.ts), or a scheduled run of the same market and date. If all such runs have ended, starts a new one.
 * @param folder data folder of a new run: workers of other folders refuse its work
 */
export async function startOrJoin(
  client: Client,
  request: RunRequest,
  folder?: DataFolder | null,
): Promise<StartedRun> {
  const running = (await findById(client, request.workflowId)) ?? (await findScheduled(client, request));
  if (running) return { ...running, joined: true };
  try {
    const handle = await client.workflow.start(request.type, {
      workflowId: request.workflowId,
      taskQueue: CRAWL_QUEUE,
      args: [request.input],
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: request.summary,
      staticDetails: request.details,
      ...folderMemo(folder),
      typedSearchAttributes: [
        ...(request.market === null ? [] : [{ key: MARKET_ATTRIBUTE, value: request.market }]),
        ...(request.date === null ? [] : [{ key: DATE_ATTRIBUTE, value: request.date }]),
      ],
    });
    return { handle, joined: false, startedAt: (await handle.describe()).startTime };
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    const existing = await findById(client, request.workflowId);
    if (!existing) throw error;
    return { ...existing, joined: true };
  }
}

type Found = { handle: WorkflowHandle; startedAt: Date };

async function findById(client: Client, workflowId: string): Promise<Found | null> {
  const handle = client.workflow.getHandle(workflowId);
  try {
    const { status, startTime } = await handle.describe();
    return status.name === 'RUNNING' ? { handle, startedAt: startTime } : null;
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError') return null;
    throw error;
  }
}

/** Finds a scheduled run of the same type, market and date. The id of such a run contains the schedule's time. */
async function findScheduled(client: Client, { type, market, date }: RunRequest): Promise<Found | null> {
  if (date === null) return null;
  const clauses = [`WorkflowType = "${type}"`, `ExecutionStatus = "Running"`, `${DATE_ATTRIBUTE.name} = "${date}"`];
  if (market !== null) clauses.push(`${MARKET_ATTRIBUTE.name} = "${market}"`);
  for await (const { workflowId, startTime } of client.workflow.list({ query: clauses.join(' AND ') })) {
    return { handle: client.workflow.getHandle(workflowId), startedAt: startTime };
  }
  return null;
}
