import { TidemarkError } from '../core/errors.js';

const WORTH_A_WORD_SECONDS = 120;
const WRONG_SECONDS = 86_400;

/**
 * How far this machine's clock is from the API's (header `Date` of an answer), in words; null where it is near, or the
 * API does not say.
 */
export function clockOff(servedAt: string | null, now: Date): string | null {
  const ahead = secondsAhead(servedAt, now);
  if (servedAt === null || Math.abs(ahead) < WORTH_A_WORD_SECONDS) return null;
  return `${inFull(ahead, servedAt, now)} Set it by NTP: times in the warehouse are this clock's.`;
}

/**
 * The same, where something begins that is filed by time. Observations are ordered by this clock: a record from a wrong
 * future would stand for years.
 * @throws TidemarkError `InvalidConfig` when it is a day or more
 */
export function requireClock(servedAt: string | null, now: Date): string | null {
  const ahead = secondsAhead(servedAt, now);
  if (servedAt === null || Math.abs(ahead) < WRONG_SECONDS) return clockOff(servedAt, now);
  throw new TidemarkError('InvalidConfig', inFull(ahead, servedAt, now), {
    todo: 'Set the clock of this machine, then start the run again: records would be filed under a wrong time.',
  });
}

function secondsAhead(servedAt: string | null, now: Date): number {
  return servedAt === null ? 0 : Math.round((now.getTime() - Date.parse(servedAt)) / 1_000);
}

function inFull(ahead: number, servedAt: string, now: Date): string {
  const where = ahead > 0 ? 'ahead of' : 'behind';
  return `This machine's clock (${now.toISOString()}) is ${inWords(Math.abs(ahead))} ${where} the API's (${servedAt}).`;
}

function inWords(seconds: number): string {
  if (seconds >= WRONG_SECONDS) return `${Math.floor(seconds / WRONG_SECONDS)} days`;
  return seconds >= 7_200 ? `${Math.floor(seconds / 3_600)} hours` : `${Math.floor(seconds / 60)} minutes`;
}
