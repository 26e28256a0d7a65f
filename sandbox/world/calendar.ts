/*
 * Dates inside the world are *unix days*: whole days since 1970-01-01, UTC. Sandbox days (0, 1, 2, …) count from the
 * start date. `World` converts sandbox days into unix days.
 */

const DAY_MS = 86_400_000;
const PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/;

/** `yyyy-mm-dd` of a unix day. */
export function toIso(unixDay: number): string {
  return new Date(unixDay * DAY_MS).toISOString().slice(0, 10);
}

/** `yyyymmdd` of a unix day, as an integer. */
export function toCompact(unixDay: number): number {
  const date = new Date(unixDay * DAY_MS);
  return date.getUTCFullYear() * 10_000 + (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
}

/** Unix day of `yyyy-mm-dd`. Returns undefined for any other text and for a day that does not exist. */
export function fromIso(text: string): number | undefined {
  if (!PATTERN.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || toIso(ms / DAY_MS) !== text ? undefined : ms / DAY_MS;
}

/** Days from 1970-01-01 to 1 January of a year, by the Gregorian leap-year rule. */
function daysBefore(year: number): number {
  const past = year - 1;
  return 365 * past + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) - 719_162;
}

const FIRST_YEAR = 1600;
/** Unix days of 1 January for 600 years. Cached, because the columns need them millions of times. */
const NEW_YEARS = Int32Array.from({ length: 600 }, (_, n) => daysBefore(FIRST_YEAR + n));

/** Unix day of 1 January. */
export function newYear(year: number): number {
  return NEW_YEARS[year - FIRST_YEAR] ?? daysBefore(year);
}

/** Largest absolute value of a supported year. A Date can hold the years -200,000 to 200,000. */
const MAX_YEAR = 200_000;

/**
 * Unix days from 1 January of the year `from` to 31 December of the year `to`. Either year may be infinite or a
 * fraction.
 */
export function spanOfYears(from: number, to: number): [first: number, last: number] {
  const within = (year: number): number => Math.max(-MAX_YEAR, Math.min(MAX_YEAR, year));
  return [newYear(within(Math.ceil(from))), newYear(within(Math.floor(to) + 1)) - 1];
}

/** Calendar year of a unix day. Does not use Date, for speed: the columns need a million years. */
export function yearOf(unixDay: number): number {
  const guess = 1970 + Math.floor(unixDay / 365.2425);
  if (newYear(guess) > unixDay) return guess - 1;
  return newYear(guess + 1) <= unixDay ? guess + 1 : guess;
}

/** ISO 8601 time in UTC of a second within a unix day. */
export function toInstant(unixDay: number, second: number): string {
  return `${new Date((unixDay * 86_400 + second) * 1000).toISOString().slice(0, 19)}Z`;
}
