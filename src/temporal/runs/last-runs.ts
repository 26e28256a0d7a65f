import { WorkflowFailedError, type Client, type WorkflowExecutionInfo, type WorkflowHandle } from '@temporalio/client';
import { WorkflowType, type RunResult } from '../../../schemas/pipeline/run.js';
import { DATE_ATTRIBUTE, MARKET_ATTRIBUTE } from '../../../workflows/search-attributes.js';
import type { FinishedRun, Outcome } from '../../serve/metrics/runs.js';
import { failureMessage } from '../failure.js';

// Temporal lists finished runs from the newest to the oldest. Read at most this many of them.
const LISTED_AT_MOST = 500;

/** All types of runs, for `WorkflowType IN (…)`. */
export const TYPES = WorkflowType.options.map((type) => `'${type}'`).join(', ');
const CLOSED = `WorkflowType IN (${TYPES}) AND ExecutionStatus IN ('Completed', 'Failed', 'Canceled', 'Terminated', 'TimedOut')`;

const OUTCOME_OF: Partial<Record<WorkflowExecutionInfo['status']['name'], Outcome>> = {
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed_out',
};

/** How a run ended, as Temporal knows it. */
export interface EndedRun extends FinishedRun {
  workflowId: string;
  /** Run id of the first execution, as in ops.runs. */
  run: string;
  /** Logical date, YYYY-MM-DD. Null if the run failed before it set its date. */
  date: string | null;
  /** Why the run failed, with the remedy. Null if it did not fail. */
  error: string | null;
}

/**
 * Returns a function that reads the last finished run of each workflow type and market from Temporal. Each run is read
 * once, because a finished run does not change.
 */
export function createLastRuns(client: Client): () => Promise<EndedRun[]> {
  let read = new Map<string, EndedRun>();
  return async () => {
    const last = await listLast(client);
    const runs = await Promise.all(last.map(async (info) => read.get(info.runId) ?? (await readRun(client, info))));
    read = new Map(runs.map((run, i) => [last[i]?.runId ?? '', run]));
    return runs;
  };
}

async function listLast(client: Client): Promise<WorkflowExecutionInfo[]> {
  const last = new Map<string, WorkflowExecutionInfo>();
  let listed = 0;
  for await (const info of client.workflow.list({ query: CLOSED, pageSize: 100 })) {
    const key = `${info.type} ${marketOf(info)}`;
    const known = last.get(key);
    if (known === undefined || closeTime(info) > closeTime(known)) last.set(key, info);
    if (++listed >= LISTED_AT_MOST) break;
  }
  return [...last.values()];
}

async function readRun(client: Client, info: WorkflowExecutionInfo): Promise<EndedRun> {
  const handle = client.workflow.getHandle(info.workflowId, info.runId, { followRuns: false });
  const [ended, described] = await Promise.all([readEnd(handle, info), handle.describe()]);
  const { result, error } = ended;
  const first = described.raw.workflowExecutionInfo?.firstRunId;
  const began =
    first && first !== info.runId ? await client.workflow.getHandle(info.workflowId, first).describe() : described;
  return {
    workflowType: info.type,
    workflowId: info.workflowId,
    run: first || info.runId,
    market: marketOf(info),
    date: info.typedSearchAttributes.get(DATE_ATTRIBUTE) ?? null,
    error,
    outcome: result?.outcome ?? OUTCOME_OF[info.status.name] ?? 'complete',
    heldBack: (result?.heldBack ?? null) !== null,
    finishedAt: closeTime(info) / 1_000,
    seconds: (closeTime(info) - began.startTime.getTime()) / 1_000,
  };
}

/** Reads the result of a completed run, or why a run failed. */
async function readEnd(
  handle: WorkflowHandle,
  { status }: WorkflowExecutionInfo,
): Promise<{ result: Partial<RunResult> | null; error: string | null }> {
  try {
    const result = (await handle.result()) as Partial<RunResult> | null;
    return { result, error: null };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    return { result: null, error: status.name === 'CANCELLED' ? null : failureMessage(error) };
  }
}

function closeTime({ closeTime: at, startTime }: WorkflowExecutionInfo): number {
  return (at ?? startTime).getTime();
}

/**
 * Returns the market of a run. If a run failed at its start, only its workflow id contains the market. Returns an empty
 * text for a run without a market.
 */
export function marketOf({ typedSearchAttributes, workflowId }: WorkflowExecutionInfo): string {
  return typedSearchAttributes.get(MARKET_ATTRIBUTE) ?? /^(?:snapshot|owners)\/([^/]+)\//.exec(workflowId)?.[1] ?? '';
}
