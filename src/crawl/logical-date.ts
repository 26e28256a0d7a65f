import { dayIn } from '../core/clock.js';
import { TidemarkError } from '../core/errors.js';

// A nightly run that waited for a worker or for the night before is still tonight's; one started by a schedule's
// backfill lies further from its nominal time than this.
const LATE_START_HOURS = 6;

export interface LogicalDate {
  date: string;
  /** Whether what the API tells as of now may be filed under `date`. */
  asOfNow: boolean;
}

/**
 * The logical date of a run: the date asked for, else the schedule's nominal time in its zone, else today.
 * @throws TidemarkError `InvalidInput` for a future date
 */
export function resolveLogicalDate(input: {
  asked: string | undefined;
  scheduledTime: string | undefined;
  timeZone: string;
  now: Date;
}): LogicalDate {
  const today = dayIn(input.timeZone, input.now);
  const scheduled = input.scheduledTime === undefined ? undefined : new Date(input.scheduledTime);
  const date = input.asked ?? (scheduled ? dayIn(input.timeZone, scheduled) : today);
  if (date > today) {
    throw new TidemarkError('InvalidInput', `${date} is in the future: today is ${today} in ${input.timeZone}.`, {
      todo: 'Give today or an earlier date, or leave `date` out.',
    });
  }
  const late = scheduled && input.asked === undefined ? input.now.getTime() - scheduled.getTime() : Infinity;
  return { date, asOfNow: date === today || late <= LATE_START_HOURS * 3_600_000 };
}
