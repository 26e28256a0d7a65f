import {
  WorkflowFailedError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
} from '@temporalio/client';
import type { RunFate, RunFates } from '../crawl/run/ended-runs.js';
import { failureMessage } from './failure.js';
import { TYPES } from './runs/last-runs.js';

// Temporal lists the newest runs first. Read at most this many that ended badly.
const LISTED_AT_MOST = 100;

const BAD = `WorkflowType IN (${TYPES}) AND ExecutionStatus IN ('Failed', 'Canceled', 'Terminated', 'TimedOut')`;

type Ended = Extract<RunFate, { open: false }>;
type Status = WorkflowExecutionInfo['status']['name'];

const OUTCOMES: Partial<Record<Status, Ended['outcome']>> = {
  COMPLETED: 'complete',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed_out',
};

// Ids of first executions, by the ids of ended executions. They never change.
const firstRuns = new Map<string, string>();

/** Creates what asks Temporal how runs ended. */
export function createRunFates(client: Client): RunFates {
  return {
    of: ({ workflowId, run }) => readFate(client, workflowId, run),
    async badlyEnded() {
      const runs = new Set<string>();
      for await (const { workflowId, runId } of client.workflow.list({ query: BAD, pageSize: LISTED_AT_MOST })) {
        const first = firstRuns.get(runId) ?? firstRunOf(await describe(client, workflowId, runId)) ?? runId;
        firstRuns.set(runId, first);
        runs.add(first);
        if (runs.size >= LISTED_AT_MOST) break;
      }
      return runs;
    },
  };
}

async function readFate(client: Client, workflowId: string, run: string): Promise<RunFate> {
  // Only one execution of a workflow id is open at a time, and it is the latest.
  const latest = await describe(client, workflowId);
  if (latest !== null && firstRunOf(latest) === run) return fateOf(client, latest);
  for (let next: string | undefined = run; next !== undefined;) {
    const execution = await describe(client, workflowId, next);
    if (execution === null) break;
    if (execution.status.name !== 'CONTINUED_AS_NEW') return fateOf(client, execution);
    next = await continuedAs(client, workflowId, next);
  }
  const reason = 'Temporal does not know the run any more: its server lost its database, or has removed the run.';
  return { open: false, outcome: 'lost', reason, at: null };
}

async function fateOf(client: Client, execution: WorkflowExecutionDescription): Promise<RunFate> {
  const { workflowId, runId, status, closeTime } = execution;
  const outcome = OUTCOMES[status.name];
  if (outcome === undefined) return { open: true };
  const why = outcome === 'complete' || outcome === 'timed_out' ? null : await readError(client, workflowId, runId);
  const did = outcome === 'timed_out' ? 'timed out' : outcome === 'failed' ? 'failed' : `was ${outcome}`;
  const reason = outcome === 'complete' ? 'The run completed.' : `The run ${did}${why ? `: ${withStop(why)}` : '.'}`;
  return { open: false, outcome, reason, at: closeTime ?? null };
}

async function readError(client: Client, workflowId: string, runId: string): Promise<string | null> {
  try {
    await client.workflow.getHandle(workflowId, runId, { followRuns: false }).result();
    return null;
  } catch (error) {
    if (error instanceof WorkflowFailedError) return failureMessage(error);
    throw error;
  }
}

/** Returns the run id of the execution that continued another one as new. */
async function continuedAs(client: Client, workflowId: string, runId: string): Promise<string | undefined> {
  const { history } = await client.workflowService.getWorkflowExecutionHistory({
    namespace: client.options.namespace,
    execution: { workflowId, runId },
    // Only the last event.
    historyEventFilterType: 2,
  });
  const last = history?.events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes;
  return last?.newExecutionRunId ?? undefined;
}

async function describe(
  client: Client,
  workflowId: string,
  runId?: string,
): Promise<WorkflowExecutionDescription | null> {
  try {
    return await client.workflow.getHandle(workflowId, runId).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

function firstRunOf(execution: WorkflowExecutionDescription | null): string | null {
  return execution?.raw.workflowExecutionInfo?.firstRunId || execution?.runId || null;
}

function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
