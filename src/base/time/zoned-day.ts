import { dayIn } from './clock.js';
import { DAY_MS, HOUR_MS, utcDay } from './time.js';

/**
 * Finds the instant at which a calendar day begins in a time zone. If a change of the clock skips midnight, returns the
 * first instant that exists on that day.
 */
export function startOfDay(date: string, timeZone: string): Date {
  const utcMidnight = Date.parse(`${date}T00:00:00Z`);
  // Binary search. UTC offsets range from -12 to +14 hours, so the day begins between these two instants.
  let before = utcMidnight - 15 * HOUR_MS;
  let begun = utcMidnight + 13 * HOUR_MS;
  while (begun - before > 1) {
    const middle = Math.floor((before + begun) / 2);
    if (dayIn(timeZone, new Date(middle)) >= date) begun = middle;
    else before = middle;
  }
  return new Date(begun);
}

/** Returns the first and last instant of a range of days in a time zone. Both days are included. */
export function daySpan(from: string, to: string, timeZone: string): { start: Date; end: Date } {
  const dayAfter = utcDay(Date.parse(to) + DAY_MS);
  return { start: startOfDay(from, timeZone), end: new Date(startOfDay(dayAfter, timeZone).getTime() - 1) };
}
