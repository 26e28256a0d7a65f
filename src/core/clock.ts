import { TidemarkError } from './errors.js';

/** Tells the time. Everything that files data by date takes one, so that a later night can be rehearsed. */
export interface Clock {
  now(): Date;
}

/**
 * The process clock. `TIDEMARK_NOW` (an ISO instant) shifts it: time starts there when the process starts and goes on
 * from there, so that durations and the order of observations stay true.
 */
export function createClock(env: NodeJS.ProcessEnv = process.env): Clock {
  const text = env['TIDEMARK_NOW'];
  if (text === undefined || text === '') return { now: () => new Date() };
  const start = Date.parse(text);
  if (Number.isNaN(start)) {
    throw new TidemarkError('InvalidConfig', `TIDEMARK_NOW is not an ISO instant: ${text}`, {
      todo: 'Write it like 2026-11-21T02:00:00Z, or unset it.',
    });
  }
  const startedAt = Date.now();
  return { now: () => new Date(start + (Date.now() - startedAt)) };
}

/** The calendar day (`YYYY-MM-DD`) an instant falls on in an IANA time zone. */
export function dayIn(timeZone: string, instant: Date): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return parts.format(instant);
}

/** Whole seconds from an instant until a time of day (`HH:MM`) next comes in a time zone; 1 to 86,400. */
export function secondsUntil(timeOfDay: string, timeZone: string, instant: Date): number {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const [hour = 0, minute = 0, second = 0] = format.format(instant).split(':').map(Number);
  const [wantedHour = 0, wantedMinute = 0] = timeOfDay.split(':').map(Number);
  const ahead = (wantedHour - hour) * 3_600 + (wantedMinute - minute) * 60 - second;
  return ahead > 0 ? ahead : ahead + 86_400;
}
