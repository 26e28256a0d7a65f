/*
 * Dates inside the world are *unix days*: whole days since 1970-01-01, UTC. Days of the sandbox (0, 1, 2, …) count from
 * the start date and are turned into unix days at the world's door.
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

/** Unix day of `yyyy-mm-dd`; undefined for anything else, days that do not exist included. */
export function fromIso(text: string): number | undefined {
  if (!PATTERN.test(text)) return undefined;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || toIso(ms / DAY_MS) !== text ? undefined : ms / DAY_MS;
}

/** Unix day of 1 January. */
export function newYear(year: number): number {
  // Not Date.UTC, which takes the years 0 to 99 for those of the last century.
  return Math.round(new Date(0).setUTCFullYear(year, 0, 1) / DAY_MS);
}

/** Years a Date can hold, both ways. */
const MAX_YEAR = 200_000;

/** First unix day of one year and last of another; either may be infinite, or no whole number. */
export function spanOfYears(from: number, to: number): [first: number, last: number] {
  const within = (year: number): number => Math.max(-MAX_YEAR, Math.min(MAX_YEAR, year));
  return [newYear(within(Math.ceil(from))), newYear(within(Math.floor(to) + 1)) - 1];
}

/** Calendar year of a unix day (civil-from-days, without a Date: columns ask it a million times). */
export function yearOf(unixDay: number): number {
  const shifted = unixDay + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  // Years of the algorithm begin on 1 March: its days from 306 on are January and February of the next one.
  return yearOfEra + era * 400 + (dayOfYear >= 306 ? 1 : 0);
}

/** ISO 8601 instant, UTC, of a second within a unix day. */
export function toInstant(unixDay: number, second: number): string {
  return `${new Date((unixDay * 86_400 + second) * 1000).toISOString().slice(0, 19)}Z`;
}
