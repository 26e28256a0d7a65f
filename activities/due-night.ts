import type { Client, ScheduleDescription } from '@temporalio/client';
import { dayIn } from '../src/base/time/clock.js';
import { nightsBetween, type Night } from '../src/config/nights.js';
import type { NightlyJob } from '../src/config/schedule-ids.js';
import type { DueNight } from '../src/serve/alerts/late-nights.js';
import { DAY_MS } from '../src/base/time/time.js';

// Look back this far for the last scheduled time. Older nights no longer matter.
const LOOK_BACK_MS = 8 * DAY_MS;

/** The part of a night that Temporal knows. */
type Started = Pick<DueNight, 'state' | 'started'>;

/**
 * Finds the latest night of a job that should be published by now. Computes the nights itself: a clock change may hide
 * a night from Temporal, and that night is due nevertheless.
 * @returns null when no night is due, when the schedule does not exist, or when it was created after the night's
 * scheduled time
 */
export async function dueNight(client: Client, job: NightlyJob, now: Date): Promise<DueNight | null> {
  const until = new Date(now.getTime() - job.lateAfter * 1_000);
  const schedule = await describeSchedule(client, job.scheduleId);
  if (schedule === null) return null;
  const since = new Date(Math.max(until.getTime() - LOOK_BACK_MS, schedule.info.createdAt.getTime()));
  const night = nightsBetween(job, since, until).at(-1);
  if (night === undefined) return null;
  const started = await startedFor(client, schedule, job, night);
  return { job, date: night.date, scheduledAt: new Date(night.last), ...started };
}

async function describeSchedule(client: Client, id: string): Promise<ScheduleDescription | null> {
  try {
    return await client.schedule.getHandle(id).describe();
  } catch (error) {
    if (error instanceof Error && error.name === 'ScheduleNotFoundError') return null;
    throw error;
  }
}

/** Finds the last run that a schedule started for a night, and describes the state of that run in a sentence. */
async function startedFor(
  client: Client,
  { info, state }: ScheduleDescription,
  { timezone }: NightlyJob,
  { date, time, kind }: Night,
): Promise<Started> {
  const action = info.recentActions.findLast(({ scheduledAt }) => dayIn(timezone, scheduledAt) === date);
  const found = action?.action.type === 'startWorkflow' ? action.action.workflow : undefined;
  if (found === undefined) {
    // Temporal lists only the last runs. If all of them are later, it cannot tell whether this night had a run.
    const [oldest] = info.recentActions;
    if (oldest !== undefined && dayIn(timezone, oldest.scheduledAt) > date)
      return { state: 'Temporal no longer lists the runs of that day.', started: null };
    const why = state.paused
      ? ': the schedule is paused'
      : kind === 'gap'
        ? `: a clock change skipped ${time} that day (${timezone})`
        : '';
    return { state: `No run started${why}.`, started: null };
  }
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
