import type { Client, ScheduleDescription, ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import { CRAWL_QUEUE } from '../../workflows/queues.js';
import { CHECK_NIGHTS_ID, scheduledId } from '../../workflows/ids.js';
import { MARKET_ATTRIBUTE } from '../../workflows/search-attributes.js';
import type { DataFolder } from '../../schemas/pipeline/run.js';
import type { Config } from '../config/config.js';
import { folderMemo } from './folder-memo.js';
import { LATE_NIGHTS_SCHEDULE, nightlyJobs, SCHEDULE_PREFIX } from '../config/schedule-ids.js';
import { DAY_MS, MINUTE_MS } from '../base/time/time.js';

/**
 * What the server does with starts that it missed or that overlap.
 * - A night: if a night is still running, queue the next one. The default policy, Skip, would drop the next night, and
 *   dates of a backfill. Also start the nights that were missed while Temporal was down: the API can still report some
 *   data of a past date, such as tenders and events.
 * - A check for late nights: one check finds all late nights, so skip the others.
 */
function policiesOf({ workflowType }: DeclaredSchedule): { overlap: ScheduleOverlapPolicy; catchupWindow: number } {
  return workflowType === 'checkNights'
    ? { overlap: 'SKIP', catchupWindow: MINUTE_MS }
    : { overlap: 'BUFFER_ALL', catchupWindow: 7 * DAY_MS };
}

/** A schedule as tidemark.yaml declares it. */
export interface DeclaredSchedule {
  id: string;
  workflowType: 'marketSnapshot' | 'tenderSnapshot' | 'watchSync' | 'checkNights';
  workflowId: string;
  input: Record<string, string>;
  market: string | null;
  cron: string;
  timezone: string;
  summary: string;
}

/**
 * Lists the schedules a configuration declares: one for each market, one for tenders, one for watch events. With a
 * target of alerts, also one that looks for late nights.
 */
export function declaredSchedules(config: Config): DeclaredSchedule[] {
  const nightly = nightlyJobs(config).map((job): DeclaredSchedule => {
    const { scheduleId, workflowType, market, cron, timezone } = job;
    const named = { id: scheduleId, workflowType, market, cron, timezone };
    if (market !== null)
      return {
        ...named,
        workflowId: scheduledId('snapshot', market),
        input: { market },
        summary: `Nightly snapshot of market ${market}`,
      };
    const isTenders = workflowType === 'tenderSnapshot';
    return {
      ...named,
      workflowId: scheduledId(isTenders ? 'tenders' : 'watch', null),
      input: {},
      summary: isTenders ? 'Nightly tenders' : 'Watch events',
    };
  });
  return nightly.length > 0 && config.notify.length > 0 ? [...nightly, LATE_NIGHTS] : nightly;
}

const LATE_NIGHTS: DeclaredSchedule = {
  id: LATE_NIGHTS_SCHEDULE,
  workflowType: 'checkNights',
  workflowId: CHECK_NIGHTS_ID,
  input: {},
  market: null,
  cron: '*/15 * * * *',
  timezone: 'UTC',
  summary: 'Looks for late nights',
};

/**
 * Converts a declared schedule into Temporal's options. The input has no date, because a run takes the date of the time
 * for which the schedule planned it.
 * @param folder data folder of the runs: workers of other folders refuse them
 */
export function scheduleOptions(declared: DeclaredSchedule, folder?: DataFolder | null): ScheduleOptions {
  const { cron, market } = declared;
  return {
    scheduleId: declared.id,
    // Repeat the cron text as a comment. The server converts cron text into a calendar and keeps only the comment.
    spec: { cronExpressions: [`${cron} # ${cron}`], timezone: declared.timezone },
    policies: { ...policiesOf(declared), pauseOnFailure: false },
    action: {
      type: 'startWorkflow',
      workflowType: declared.workflowType,
      workflowId: declared.workflowId,
      taskQueue: CRAWL_QUEUE,
      args: [declared.input],
      staticSummary: declared.summary,
      staticDetails:
        declared.workflowType === 'checkNights'
          ? 'Created by `tidemark schedule apply`, because `notify` in tidemark.yaml names a target. Sends an alert for each night that is not published in time (`schedule.lateAfter`).'
          : `Declared in tidemark.yaml, applied by \`tidemark schedule apply\`: \`${cron}\`, ${declared.timezone}. The date of a run is the day for which the schedule planned the run, in this time zone.`,
      ...folderMemo(folder),
      ...(market === null ? {} : { typedSearchAttributes: [{ key: MARKET_ATTRIBUTE, value: market }] }),
    },
  };
}

/**
 * Returns whether a schedule on the server equals its declaration. Ignores whether it is paused, because operators
 * pause schedules.
 */
export function matchesDeclared(description: ScheduleDescription, declared: DeclaredSchedule): boolean {
  const { spec, policies, action } = description;
  const calendars = spec.calendars ?? [];
  const wanted = policiesOf(declared);
  return (
    calendars.length === 1 &&
    calendars[0]?.comment === declared.cron &&
    (spec.intervals ?? []).length === 0 &&
    (spec.skip ?? []).length === 0 &&
    (spec.timezone ?? 'UTC') === declared.timezone &&
    policies.overlap === wanted.overlap &&
    policies.catchupWindow === wanted.catchupWindow &&
    action.workflowType === declared.workflowType &&
    action.workflowId === declared.workflowId &&
    action.taskQueue === CRAWL_QUEUE &&
    JSON.stringify(action.args) === JSON.stringify([declared.input])
  );
}

/** Result of `applySchedules` for one schedule. */
export interface AppliedSchedule {
  id: string;
  change: 'created' | 'updated' | 'unchanged' | 'removed';
}

/** Lists the ids of Tidemark's schedules on the server. */
export async function existingSchedules(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for await (const { scheduleId } of client.schedule.list())
    if (scheduleId.startsWith(SCHEDULE_PREFIX)) ids.push(scheduleId);
  return ids.toSorted();
}

/**
 * Compares the server's schedules with the declared ones. Changes nothing.
 * @returns what `applySchedules` would do: the declared schedules first, then those to remove
 */
export async function planSchedules(client: Client, declared: readonly DeclaredSchedule[]): Promise<AppliedSchedule[]> {
  const planned: AppliedSchedule[] = [];
  for (const one of declared) planned.push({ id: one.id, change: await planOne(client, one) });
  const wanted = new Set(declared.map(({ id }) => id));
  const removed = (await existingSchedules(client)).filter((id) => !wanted.has(id));
  return [...planned, ...removed.map((id): AppliedSchedule => ({ id, change: 'removed' }))];
}

/**
 * Makes the server's schedules equal to the declared ones: creates, updates and removes schedules. A second call
 * changes nothing. A paused schedule stays paused.
 */
export async function applySchedules(
  client: Client,
  declared: readonly DeclaredSchedule[],
  folder?: DataFolder | null,
): Promise<AppliedSchedule[]> {
  const planned = await planSchedules(client, declared);
  for (const { id, change } of planned) {
    const one = declared.find((schedule) => schedule.id === id);
    if (one === undefined) await client.schedule.getHandle(id).delete();
    else if (change === 'created') await client.schedule.create(scheduleOptions(one, folder));
    else if (change === 'updated') await update(client, scheduleOptions(one, folder));
  }
  return planned;
}

async function planOne(client: Client, declared: DeclaredSchedule): Promise<'created' | 'updated' | 'unchanged'> {
  try {
    const description = await client.schedule.getHandle(declared.id).describe();
    return matchesDeclared(description, declared) ? 'unchanged' : 'updated';
  } catch (error) {
    // Use this error to detect a missing schedule, because the server's list is updated late.
    if (!(error instanceof Error) || error.name !== 'ScheduleNotFoundError') throw error;
    return 'created';
  }
}

async function update(client: Client, options: ScheduleOptions): Promise<void> {
  const { spec, action, policies = {} } = options;
  await client.schedule.getHandle(options.scheduleId).update(({ state }) => ({ spec, action, policies, state }));
}
