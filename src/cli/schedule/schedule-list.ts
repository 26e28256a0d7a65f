import type { Client } from '@temporalio/client';
import type { Config } from '../../config/config.js';
import {
  declaredSchedules,
  existingSchedules,
  matchesDeclared,
  type DeclaredSchedule,
} from '../../temporal/schedules.js';

/** One line of `tidemark schedule list`. */
export interface ScheduleRow {
  schedule: string;
  cron: string;
  timezone: string;
  /**
   * `active`, `paused`, `changed` (differs from tidemark.yaml), `undeclared` (only on the server) or `not applied` (only
   * in tidemark.yaml).
   */
  state: string;
  /** Scheduled time of the last run, as ISO text; null if there was none. `next` is the same for the next run. */
  last: string | null;
  next: string | null;
}

/** Lists the schedules of the server and of the configuration, merged by id. */
export async function listSchedules(client: Client, config: Config): Promise<ScheduleRow[]> {
  const declared = new Map(declaredSchedules(config).map((one) => [one.id, one]));
  const ids = new Set([...declared.keys(), ...(await existingSchedules(client))]);
  return Promise.all([...ids].toSorted().map(async (id) => describe(client, id, declared.get(id))));
}

async function describe(client: Client, id: string, declared: DeclaredSchedule | undefined): Promise<ScheduleRow> {
  try {
    const description = await client.schedule.getHandle(id).describe();
    const { spec, state, info } = description;
    const kind = state.paused
      ? 'paused'
      : !declared
        ? 'undeclared'
        : matchesDeclared(description, declared)
          ? 'active'
          : 'changed';
    return {
      schedule: id,
      cron: spec.calendars?.map(({ comment }) => comment ?? '?').join(', ') ?? '?',
      timezone: spec.timezone ?? 'UTC',
      state: kind,
      last: info.recentActions.at(-1)?.scheduledAt.toISOString() ?? null,
      next: state.paused ? null : (info.nextActionTimes[0]?.toISOString() ?? null),
    };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'ScheduleNotFoundError') throw error;
    return {
      schedule: id,
      cron: declared?.cron ?? '',
      timezone: declared?.timezone ?? '',
      state: 'not applied',
      last: null,
      next: null,
    };
  }
}
