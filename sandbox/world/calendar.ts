/*
 * Dates in this folder are *unix days*: whole days since 1970-01-01, UTC. Days of the sandbox (0, 1, 2, …) count from
 * the start date. `World` converts them into unix days.
 */

const DAY_MS = 86_400_000;
const PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Returns a unix day as `yyyy-mm-dd`. */
export function toIso(unixDay: number): string {
  return new Date(unixDay * DAY_MS).toISOString().slice(0, 10);
}

/** Returns a unix day as an integer in the form `yyyymmdd`. */
export function toCompact(unixDay: number): number {
  const date = new Date(unixDay * DAY_MS);
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}

/** Converts `yyyy-mm-dd` to a unix day. Returns undefined for any other text and for a day that does not exist. */
export function fromIso(text: string): number | undefined {
  if (!PATTERN.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || toIso(ms / DAY_MS) !== text ? undefined : ms / DAY_MS;
}

/** Returns the days from 1970-01-01 to 1 January of a year, by the Gregorian leap-year rule. */
function daysBefore(year: number): number {
  const past = year - 1;
  return 365 * past + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) - 719_162;
}

const FIRST_YEAR = 1600;
/** The unix day of 1 January of each of 600 years. Computed once, because `buildColumns` needs them millions of times. */
const NEW_YEARS = Int32Array.from({ length: 600 }, (_, n) => daysBefore(FIRST_YEAR + n));

/** Returns the unix day of 1 January of a year. */
export function newYear(year: number): number {
  return NEW_YEARS[year - FIRST_YEAR] ?? daysBefore(year);
}

/** Largest absolute value of a year that is supported. A Date can hold the years -200,000 to 200,000. */
const MAX_YEAR = 200_000;

/**
 * Returns the unix days of 1 January of the year `from` and 31 December of the year `to`. Both years may be infinite or
 * a fraction.
 */
export function spanOfYears(from: number, to: number): [first: number, last: number] {
  const within = (year: number): number => Math.max(-MAX_YEAR, Math.min(MAX_YEAR, year));
  return [newYear(within(Math.ceil(from))), newYear(within(Math.floor(to) + 1)) - 1];
}

/**
 * Returns the calendar year of a unix day. Does not use Date, for speed: `buildColumns` calls this function a million
 * times.
 */
export function yearOf(unixDay: number): number {
  const guess = 1970 + Math.floor(unixDay / 365.2425);
  if (newYear(guess) > unixDay) return guess - 1;
  return newYear(guess + 1) <= unixDay ? guess + 1 : guess;
}

/** Returns a second within a unix day as an ISO 8601 time in UTC. */
export function toInstant(unixDay: number, second: number): string {
  return `${new Date((unixDay * 86_400 + second) * 1000).toISOString().slice(0, 19)}Z`;
}
