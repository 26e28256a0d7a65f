import { DAY_MS, utcDay } from '../../../base/time/time.js';

/**
 * Returns the day number of a date (YYYY-MM-DD) or an instant, that is, the days since 1970-01-01. Returns undefined
 * for other text.
 */
export function dayNumber(date: string): number | undefined {
  const parts = /^(\d{4})-(\d{2})-(\d{2})/.exec(date);
  if (!parts) return undefined;
  const ms = Date.UTC(Number(parts[1]), Number(parts[2]) - 1, Number(parts[3]));
  return Number.isFinite(ms) ? Math.round(ms / DAY_MS) : undefined;
}

/** Returns the date of a day number as YYYY-MM-DD. */
export function dayText(day: number): string {
  return utcDay(day * DAY_MS);
}

/** Returns the calendar year of a day number. */
export function yearOf(day: number): number {
  return new Date(day * DAY_MS).getUTCFullYear();
}

/** Returns the day number of the first day of a month. January is month 1. */
export function firstDay(year: number, month: number): number {
  return Math.round(Date.UTC(year, month - 1, 1) / DAY_MS);
}

/**
 * Returns the day number of the first Wednesday in July. Commercial registers are open on this day and on the Tuesday
 * before, so both days have registrations.
 */
export function midyear(year: number): number {
  const july = firstDay(year, 7);
  return july + ((6 - (july % 7) + 7) % 7); // 1970-01-01, day 0, was a Thursday
}
