import { TidemarkError } from '../core/errors.js';

const WORTH_A_WORD_SECONDS = 120;
const WRONG_SECONDS = 86_400;

/**
 * How far this machine's clock is from the API's (header `Date` of an answer), in words; null where it is near, or the API
 * does not say. Observations are ordered by this clock: a record from a wrong future would stand for years.
 * @throws TidemarkError `InvalidConfig` when it is a day or more
 */
export function clockOff(servedAt: string | null, now: Date): string | null {
  if (servedAt === null) return null;
  const ahead = Math.round((now.getTime() - Date.parse(servedAt)) / 1_000);
  if (Math.abs(ahead) < WORTH_A_WORD_SECONDS) return null;
  const what = `This machine's clock (${now.toISOString()}) is ${inWords(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the API's (${servedAt}).`;
  if (Math.abs(ahead) < WRONG_SECONDS) return `${what} Set it by NTP: times in the warehouse are this clock's.`;
  throw new TidemarkError('InvalidConfig', what, {
    todo: 'Set the clock of this machine, then start the run again: records would be filed under a wrong time.',
  });
}

function inWords(seconds: number): string {
  if (seconds >= WRONG_SECONDS) return `${Math.floor(seconds / WRONG_SECONDS)} days`;
  return seconds >= 7_200 ? `${Math.floor(seconds / 3_600)} hours` : `${Math.floor(seconds / 60)} minutes`;
}
