import { TidemarkError } from '../errors.js';
import { DAY_MS } from './time.js';

/**
 * Tells the time. Code that stores data by date takes a clock as argument. So a test or a demo can pass a clock that
 * shows a later night.
 */
export interface Clock {
  now(): Date;
}

/**
 * Creates the process clock. `TIDEMARK_NOW` (an ISO instant) sets the time at which the process starts. From then on,
 * time passes at normal speed. So durations, and the order of timestamps, are correct.
 * @param daysAhead number of days by which the clock is ahead now; not used if `TIDEMARK_NOW` is set
 * @throws TidemarkError `InvalidConfig` when `TIDEMARK_NOW` is not an instant
 */
export function createClock(env: NodeJS.ProcessEnv = process.env, daysAhead: () => number = () => 0): Clock {
  const text = env['TIDEMARK_NOW'];
  if (text === undefined || text === '') return { now: () => new Date(Date.now() + daysAhead() * DAY_MS) };
  const start = Date.parse(text);
  if (Number.isNaN(start)) {
    throw new TidemarkError('InvalidConfig', `TIDEMARK_NOW is not an ISO instant: ${text}`, {
      todo: 'Set it to an instant like 2026-11-21T02:00:00Z, or unset it.',
    });
  }
  const startedAt = Date.now();
  return { now: () => new Date(start + (Date.now() - startedAt)) };
}

/** Returns the calendar day (`YYYY-MM-DD`) of an instant in an IANA time zone. */
export function dayIn(timeZone: string, instant: Date): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return parts.format(instant);
}

/** Returns the latest date that a calendar on Earth shows at an instant. A later date comes from a wrong clock. */
export function latestDate(instant: Date): string {
  return dayIn('Pacific/Kiritimati', instant);
}
