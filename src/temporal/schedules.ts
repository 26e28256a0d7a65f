import type { Client, ScheduleDescription, ScheduleOptions } from '@temporalio/client';
import { CRAWL_QUEUE } from '../../workflows/queues.js';
import { scheduledId } from '../../workflows/ids.js';
import { MARKET_ATTRIBUTE } from '../../workflows/search-attributes.js';
import type { Config } from '../core/config.js';

/** Prefix of Tidemark's schedule ids. Other schedules in the namespace are never changed. */
export const SCHEDULE_PREFIX = 'tidemark/';

// If a night is still running, queue the next one, and drop no date of a backfill. The default policy, Skip, would drop
// the next night.
const OVERLAP = 'BUFFER_ALL';
// Catch up on nights missed while Temporal was down: the API still offers data that it selects by date.
const CATCHUP_MS = 7 * 24 * 3_600_000;

/** A schedule as tidemark.yaml declares it. */
export interface DeclaredSchedule {
  id: string;
  workflowType: 'marketSnapshot' | 'tenderSnapshot' | 'watchSync';
  workflowId: string;
  input: Record<string, string>;
  market: string | null;
  cron: string;
  timezone: string;
  summary: string;
}

/** Lists the schedules a configuration declares: one for each market, one for tenders, one for watch events. */
export function declaredSchedules(config: Config): DeclaredSchedule[] {
  const markets = config.markets.flatMap(({ name, schedule }): DeclaredSchedule[] =>
    schedule
      ? [
          {
            id: `${SCHEDULE_PREFIX}snapshot/${name}`,
            workflowType: 'marketSnapshot',
            workflowId: scheduledId('snapshot', name),
            input: { market: name },
            market: name,
            summary: `Nightly snapshot of market ${name}`,
            ...schedule,
          },
        ]
      : [],
  );
  const tenders: DeclaredSchedule[] = config.tenders?.schedule
    ? [
        {
          id: `${SCHEDULE_PREFIX}tenders`,
          workflowType: 'tenderSnapshot',
          workflowId: scheduledId('tenders', null),
          input: {},
          market: null,
          summary: 'Nightly tenders',
          ...config.tenders.schedule,
        },
      ]
    : [];
  const watch: DeclaredSchedule[] = config.watch?.schedule
    ? [
        {
          id: `${SCHEDULE_PREFIX}watch`,
          workflowType: 'watchSync',
          workflowId: scheduledId('watch', null),
          input: {},
          market: null,
          summary: 'Watch events',
          ...config.watch.schedule,
        },
      ]
    : [];
  return [...markets, ...tenders, ...watch];
}

/** Converts a declared schedule into Temporal's options. The input has no date, because a run uses its nominal time. */
export function scheduleOptions(declared: DeclaredSchedule): ScheduleOptions {
  const { cron, market } = declared;
  return {
    scheduleId: declared.id,
    // Repeat the cron text as its comment: the server converts cron into a calendar and keeps only the comment.
    spec: { cronExpressions: [`${cron} # ${cron}`], timezone: declared.timezone },
    policies: { overlap: OVERLAP, catchupWindow: CATCHUP_MS, pauseOnFailure: false },
    action: {
      type: 'startWorkflow',
      workflowType: declared.workflowType,
      workflowId: declared.workflowId,
      taskQueue: CRAWL_QUEUE,
      args: [declared.input],
      staticSummary: declared.summary,
      staticDetails: `Declared in tidemark.yaml, applied by \`tidemark schedule apply\`: \`${cron}\`, ${declared.timezone}. The date of a run is the day of its nominal time in this time zone.`,
      ...(market === null ? {} : { typedSearchAttributes: [{ key: MARKET_ATTRIBUTE, value: market }] }),
    },
  };
}

/** True when a schedule on the server equals its declaration. Ignores the paused state, which operators set. */
export function matchesDeclared(description: ScheduleDescription, declared: DeclaredSchedule): boolean {
  const { spec, policies, action } = description;
  const calendars = spec.calendars ?? [];
  return (
    calendars.length === 1 &&
    calendars[0]?.comment === declared.cron &&
    (spec.intervals ?? []).length === 0 &&
    (spec.skip ?? []).length === 0 &&
    (spec.timezone ?? 'UTC') === declared.timezone &&
    policies.overlap === OVERLAP &&
    policies.catchupWindow === CATCHUP_MS &&
    action.workflowType === declared.workflowType &&
    action.workflowId === declared.workflowId &&
    action.taskQueue === CRAWL_QUEUE &&
    JSON.stringify(action.args) === JSON.stringify([declared.input])
  );
}

/** A schedule that `applySchedules` handled. */
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
 * Makes the server's schedules equal to the declared ones: creates, updates and removes schedules. A second call
 * changes nothing. A paused schedule stays paused.
 */
export async function applySchedules(
  client: Client,
  declared: readonly DeclaredSchedule[],
): Promise<AppliedSchedule[]> {
  const applied: AppliedSchedule[] = [];
  for (const one of declared) applied.push({ id: one.id, change: await applyOne(client, one) });
  const wanted = new Set(declared.map(({ id }) => id));
  for (const id of await existingSchedules(client)) {
    if (wanted.has(id)) continue;
    await client.schedule.getHandle(id).delete();
    applied.push({ id, change: 'removed' });
  }
  return applied;
}

async function applyOne(client: Client, declared: DeclaredSchedule): Promise<'created' | 'updated' | 'unchanged'> {
  const options = scheduleOptions(declared);
  const handle = client.schedule.getHandle(declared.id);
  try {
    if (matchesDeclared(await handle.describe(), declared)) return 'unchanged';
    await handle.update(({ state }) => ({
      spec: options.spec,
      action: options.action,
      policies: options.policies ?? {},
      state,
    }));
    return 'updated';
  } catch (error) {
    // Detect a missing schedule by this error, because the server's list is late.
    if (!(error instanceof Error) || error.name !== 'ScheduleNotFoundError') throw error;
    await client.schedule.create(options);
    return 'created';
  }
}
