import type { Client, ScheduleDescription } from '@temporalio/client';
import { optionalDateToTs, optionalTsToDate } from '@temporalio/common/lib/time.js';
import type { NightlyJob } from '../src/core/schedule-ids.js';
import type { DueNight } from '../src/notify/late-nights.js';

// Look back this far for the last scheduled time. Older nights no longer matter.
const LOOK_BACK_MS = 8 * 86_400_000;

/**
 * Finds the latest night of a job that should be published by now. Asks Temporal for the schedule's times, so that time
 * zones and leap days are those of the server.
 * @returns null when no night is due, when the schedule does not exist, or when it was created after the night's
 * scheduled time
 */
export async function dueNight(client: Client, job: NightlyJob, now: Date): Promise<DueNight | null> {
  const until = new Date(now.getTime() - job.lateAfter * 1_000);
  const schedule = await describeSchedule(client, job.scheduleId);
  if (schedule === null) return null;
  const since = new Date(Math.max(until.getTime() - LOOK_BACK_MS, schedule.info.createdAt.getTime()));
  if (since >= until) return null;
  const { startTime } = await client.workflowService.listScheduleMatchingTimes({
    namespace: client.options.namespace,
    scheduleId: job.scheduleId,
    startTime: optionalDateToTs(since) ?? null,
    endTime: optionalDateToTs(until) ?? null,
  });
  const scheduledAt = optionalTsToDate(startTime?.at(-1));
  return scheduledAt === undefined ? null : { job, scheduledAt, ...(await startedFor(client, schedule, scheduledAt)) };
}

async function describeSchedule(client: Client, id: string): Promise<ScheduleDescription | null> {
  try {
    return await client.schedule.getHandle(id).describe();
  } catch (error) {
    if (error instanceof Error && error.name === 'ScheduleNotFoundError') return null;
    throw error;
  }
}

/** Finds the run that a schedule planned for a certain time, and describes the state of that run in a sentence. */
async function startedFor(
  client: Client,
  { info, state }: ScheduleDescription,
  scheduledAt: Date,
): Promise<Pick<DueNight, 'state' | 'started'>> {
  const action = info.recentActions.find((one) => one.scheduledAt.getTime() === scheduledAt.getTime());
  const found = action?.action.type === 'startWorkflow' ? action.action.workflow : undefined;
  if (found === undefined)
    return { state: state.paused ? 'No run started: the schedule is paused.' : 'No run started.', started: null };
  const started = { workflowId: found.workflowId, run: found.firstExecutionRunId };
  try {
    const { status } = await client.workflow.getHandle(found.workflowId).describe();
    return { state: `The run ${found.workflowId} ${STATES[status.name] ?? 'has ended'}.`, started };
  } catch (error) {
    if (error instanceof Error && error.name === 'WorkflowNotFoundError')
      return { state: `The run ${found.workflowId} has ended; Temporal has deleted it.`, started };
    throw error;
  }
}

const STATES: Record<string, string> = {
  RUNNING: 'is still running',
  COMPLETED: 'has ended without a published night',
  FAILED: 'failed',
  CANCELLED: 'was cancelled',
  TERMINATED: 'was terminated',
  TIMED_OUT: 'timed out',
};
