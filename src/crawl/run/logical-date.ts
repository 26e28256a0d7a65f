import { dayIn } from '../../base/time/clock.js';
import { TidemarkError } from '../../base/errors.js';
import { HOUR_MS } from '../../base/time/time.js';

// If a scheduled run starts at most this late, today's answers may be stored under the date for which it was scheduled.
// It may have waited for a worker or for the previous night. Runs of a schedule's backfill start later.
const LATE_START_HOURS = 6;

/**
 * Returns the date under which a run stores its answers: the requested date, else the date for which the run was
 * scheduled, else today.
 * @param input `scheduledTime` as ISO; `timeZone` as IANA name
 * @returns the date as YYYY-MM-DD; `asOfNow`: whether answers that the API gives today may be stored under it
 * @throws TidemarkError `InvalidInput` for a future date
 */
export function resolveLogicalDate(input: {
  asked: string | undefined;
  scheduledTime: string | undefined;
  timeZone: string;
  now: Date;
}): { date: string; asOfNow: boolean } {
  const today = dayIn(input.timeZone, input.now);
  const scheduled = input.scheduledTime === undefined ? undefined : new Date(input.scheduledTime);
  const date = input.asked ?? (scheduled ? dayIn(input.timeZone, scheduled) : today);
  if (date > today) {
    throw new TidemarkError('InvalidInput', `${date} is in the future: today is ${today} in ${input.timeZone}.`, {
      todo: 'Give today or an earlier date, or omit `date`.',
    });
  }
  const late = scheduled && input.asked === undefined ? input.now.getTime() - scheduled.getTime() : Infinity;
  return { date, asOfNow: date === today || late <= LATE_START_HOURS * HOUR_MS };
}
