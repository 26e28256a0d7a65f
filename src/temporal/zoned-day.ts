import { dayIn } from '../core/clock.js';

const HOUR = 3_600_000;

/**
 * The instant at which a calendar day begins in a time zone. Where midnight is skipped by a clock change, it is the
 * first instant of that day.
 */
export function startOfDay(date: string, timeZone: string): Date {
  const utcMidnight = Date.parse(`${date}T00:00:00Z`);
  // Offsets lie between -12 and +14 hours: the day begins in this span, and "has it begun" flips once.
  let before = utcMidnight - 15 * HOUR;
  let begun = utcMidnight + 13 * HOUR;
  while (begun - before > 1) {
    const middle = Math.floor((before + begun) / 2);
    if (dayIn(timeZone, new Date(middle)) >= date) begun = middle;
    else before = middle;
  }
  return new Date(begun);
}

/** First and last instant of a span of days in a time zone, both days included. */
export function daySpan(from: string, to: string, timeZone: string): { start: Date; end: Date } {
  const dayAfter = new Date(Date.parse(to) + 24 * HOUR).toISOString().slice(0, 10);
  return { start: startOfDay(from, timeZone), end: new Date(startOfDay(dayAfter, timeZone).getTime() - 1) };
}
