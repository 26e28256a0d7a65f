import { dayIn } from '../base/time/clock.js';
import { cronFields, readCron, type CronTimes } from './cron.js';
import { clockChanges, instantsOf, offsetsOf, type LocalInstants } from '../base/time/zone.js';
import { DAY_MS, MINUTE_MS } from '../base/time/time.js';

/** How far ahead to look for clock changes, in days: every date of a year. */
const LOOK_AHEAD_DAYS = 366;

/** When a nightly job runs: a cron line, and an IANA time zone. */
export interface Timetable {
  cron: string;
  timezone: string;
}

/** A night for which a clock change makes the scheduled time doubtful. */
export interface DoubtfulNight {
  /** Local date, `YYYY-MM-DD`. */
  date: string;
  /** First affected local time of this date, `HH:MM`. */
  time: string;
  /** `gap`: this time does not exist on this date. `fold`: it exists twice. */
  kind: 'gap' | 'fold';
}

/** A night that a cron line names. */
export interface Night extends LocalInstants {
  /** Local date, `YYYY-MM-DD`. */
  date: string;
  /** Local time of the first run of this date, `HH:MM`. */
  time: string;
}

/**
 * Lists the nights of the next 366 days whose scheduled time does not exist or exists twice, at most one for each date
 * and kind. Empty for a cron line that runs every hour: a change only moves such runs.
 */
export function doubtfulNights({ cron, timezone }: Timetable, now: Date): DoubtfulNight[] {
  const times = readCron(cron);
  if (typeof times === 'string' || times.hours.length === 24) return [];
  const from = now.getTime();
  return clockChanges(timezone, from, from + LOOK_AHEAD_DAYS * DAY_MS).flatMap(({ at, before, after }) => {
    // The local times that the change skips or repeats: from the lower to the higher of both clocks.
    const [start, end] = [at + Math.min(before, after), at + Math.max(before, after)];
    return daysBetween(times, start, end).flatMap((day): DoubtfulNight[] => {
      const local = timesOf(times, day).find((time) => time >= start && time < end);
      return local === undefined ? [] : [{ ...written(local), kind: after > before ? 'gap' : 'fold' }];
    });
  });
}

/**
 * Lists the nights of a cron line from one instant to another, one for each date. A date that its zone skips completely
 * has no night.
 */
export function nightsBetween({ cron, timezone }: Timetable, from: Date, to: Date): Night[] {
  const times = readCron(cron);
  if (typeof times === 'string') return [];
  const offsetAt = offsetsOf(timezone);
  return daysBetween(times, from.getTime() - DAY_MS, to.getTime() + DAY_MS).flatMap((day) => {
    const [local = day] = timesOf(times, day);
    const night = { ...written(local), ...instantsOf(local, offsetAt) };
    const exists = night.last >= from.getTime() && night.last <= to.getTime() && hasDay(timezone, night);
    return exists ? [night] : [];
  });
}

/**
 * Moves a cron line to the nearest hours at which no night is doubtful, if possible later and outside of 01:00 to
 * 03:59, where most zones change their clocks.
 * @returns the new line; null when no hours of the same day fit
 */
export function saferCron({ cron, timezone }: Timetable, now: Date): string | null {
  const times = readCron(cron);
  if (typeof times === 'string') return null;
  const [minute, , ...days] = cronFields(cron).split(' ');
  const shifts = Array.from({ length: 23 }, (_, i) => i + 1);
  const moved = [...shifts, ...shifts.map((shift) => -shift)]
    .map((shift) => times.hours.map((hour) => hour + shift))
    .filter((hours) => hours.every((hour) => hour >= 0 && hour <= 23));
  const usual = (hours: readonly number[]): boolean => hours.some((hour) => hour >= 1 && hour <= 3);
  return (
    [...moved.filter((hours) => !usual(hours)), ...moved.filter(usual)]
      .map((hours) => [minute, hours.join(','), ...days].join(' '))
      .find((line) => doubtfulNights({ cron: line, timezone }, now).length === 0) ?? null
  );
}

/** The local days that match, of those with a time in `[start, end)`. All in ms, as if local times were UTC. */
function daysBetween({ days, months, weekdays }: CronTimes, start: number, end: number): number[] {
  const found: number[] = [];
  for (let day = Math.floor(start / DAY_MS) * DAY_MS; day < end; day += DAY_MS) {
    const date = new Date(day);
    const matches =
      days.includes(date.getUTCDate()) &&
      months.includes(date.getUTCMonth() + 1) &&
      weekdays.includes(date.getUTCDay());
    if (matches) found.push(day);
  }
  return found;
}

function timesOf({ hours, minutes }: CronTimes, day: number): number[] {
  return hours.flatMap((hour) => minutes.map((minute) => day + (hour * 60 + minute) * MINUTE_MS));
}

function written(local: number): { date: string; time: string } {
  const text = new Date(local).toISOString();
  return { date: text.slice(0, 10), time: text.slice(11, 16) };
}

/** False if the zone skips this whole date, as Samoa skipped 2011-12-30. */
function hasDay(timezone: string, { kind, first, date }: Night): boolean {
  return (
    kind !== 'gap' || [first, first - DAY_MS / 2, first - DAY_MS].some((at) => dayIn(timezone, new Date(at)) === date)
  );
}
