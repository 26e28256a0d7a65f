import type { Config } from '../../config/config.js';
import { doubtfulNights, saferCron, type DoubtfulNight } from '../../config/nights.js';
import { nightlyJobs, SCHEDULE_PREFIX } from '../../config/schedule-ids.js';

/** A schedule with nights that a clock change skips or repeats within a year. */
export interface ScheduleWarning {
  message: string;
  todo: string;
}

/** Lists the declared schedules with nights that do not exist or exist twice in the next 366 days. */
export function scheduleWarnings(config: Config, now: Date): ScheduleWarning[] {
  return nightlyJobs(config).flatMap((job): ScheduleWarning[] => {
    const nights = doubtfulNights(job, now);
    if (nights.length === 0) return [];
    const id = job.scheduleId.slice(SCHEDULE_PREFIX.length);
    const safer = saferCron(job, now);
    const choice =
      safer === null ? 'times that exist once on every day' : `a time that exists once a day, such as "${safer}"`;
    return [
      {
        message: `${id} ("${job.cron}", ${job.timezone}): ${describe(nights)}.`,
        todo: `Set schedule.cron to ${choice}. Then run \`tidemark schedule apply\`.`,
      },
    ];
  });
}

function describe(nights: readonly DoubtfulNight[]): string {
  const on = (kind: DoubtfulNight['kind']): string =>
    nights
      .filter((night) => night.kind === kind)
      .map(({ date, time }) => `${time} on ${date}`)
      .join(' and ');
  const [gaps, folds] = [on('gap'), on('fold')];
  return [
    ...(gaps === '' ? [] : [`clock changes skip ${gaps}, so Temporal may start no run`]),
    ...(folds === '' ? [] : [`clock changes repeat ${folds}, so Temporal may start two runs`]),
  ].join('; ');
}
