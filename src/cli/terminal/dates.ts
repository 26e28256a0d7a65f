import { IsoDate } from '../../../schemas/pipeline/run.js';
import { dayIn, type Clock } from '../../base/time/clock.js';
import { TidemarkError } from '../../base/errors.js';

/**
 * Parses a day that the user typed.
 * @throws TidemarkError `InvalidInput` when the text is no calendar day as YYYY-MM-DD
 */
export function parseDay(text: string, option: string): string {
  if (IsoDate.safeParse(text).success) return text;
  throw new TidemarkError('InvalidInput', `${option} ${text} is not a date.`, { todo: 'Write it like 2026-11-20.' });
}

/**
 * Returns the logical date of a run: the given date, else today in the schedule's time zone.
 * @throws TidemarkError `InvalidInput` for an invalid or future date
 */
export function runDate(asked: string | undefined, timeZone: string, clock: Clock): string {
  const today = dayIn(timeZone, clock.now());
  if (asked === undefined) return today;
  const date = parseDay(asked, '--date');
  if (date <= today) return date;
  throw new TidemarkError('InvalidInput', `--date ${date} is in the future: today is ${today} (${timeZone}).`, {
    todo: 'Give today or an earlier date, or omit --date.',
  });
}

/**
 * Parses the first and last day of a range.
 * @throws TidemarkError `InvalidInput` when a day is invalid or in the future (UTC), or the order is wrong
 */
export function parseSpan(options: { from: string; to: string }, clock: Clock): { from: string; to: string } {
  const from = parseDay(options.from, '--from');
  const to = parseDay(options.to, '--to');
  const today = dayIn('UTC', clock.now());
  if (from > to)
    throw new TidemarkError('InvalidInput', `--from ${from} is after --to ${to}.`, { todo: 'Swap the two dates.' });
  if (to > today) {
    throw new TidemarkError('InvalidInput', `--to ${to} is in the future: today is ${today} (UTC).`, {
      todo: 'Give today or an earlier date.',
    });
  }
  return { from, to };
}
