import type { RunContext } from '../../../schemas/pipeline/run.js';
import { dayIn } from '../../base/time/clock.js';
import { TidemarkError } from '../../base/errors.js';
import { HOUR_MS } from '../../base/time/time.js';

// If a scheduled run starts at most this late, today's answers may be stored under the date for which it was scheduled.
// It may have waited for a worker or for the previous night. Runs of a schedule's backfill start later.
const LATE_START_HOURS = 6;

/**
 * Returns the date under which a run stores its answers: the requested date, else the date for which the run was
 * scheduled, else today.
 * @param opening `scheduledTime` as ISO
 * @param timeZone IANA name
 * @returns `date` as YYYY-MM-DD, which is also the first and the last day to fetch; `asOfNow`: whether answers that the
 * API gives today may be stored under it
 * @throws TidemarkError `InvalidInput` for a future date
 */
export function resolveLogicalDate(
  { scheduledTime, now }: { scheduledTime?: string | undefined; now: Date },
  asked: string | undefined,
  timeZone = 'UTC',
): Pick<RunContext, 'date' | 'asOfNow' | 'from' | 'to'> {
  const today = dayIn(timeZone, now);
  const scheduled = scheduledTime === undefined ? undefined : new Date(scheduledTime);
  const date = asked ?? (scheduled ? dayIn(timeZone, scheduled) : today);
  if (date > today) {
    throw new TidemarkError('InvalidInput', `${date} is in the future: today is ${today} in ${timeZone}.`, {
      todo: 'Give today or an earlier date, or omit `date`.',
    });
  }
  const late = scheduled && asked === undefined ? now.getTime() - scheduled.getTime() : Infinity;
  return { date, from: date, to: date, asOfNow: date === today || late <= LATE_START_HOURS * HOUR_MS };
}
