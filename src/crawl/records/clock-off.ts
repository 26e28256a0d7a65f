import type { AnswerTimes } from '../../api/index.js';
import { TidemarkError } from '../../base/errors.js';
import { DAY_SECONDS } from '../../base/time/time.js';

const WORTH_A_WORD_SECONDS = 120;

/** Runs fetch nothing while this machine's clock and the API's differ by this time or more. In seconds. */
export const CLOCK_TOLERANCE = 300;

/** A time by the API's clock, and the time by this machine's clock to compare with it. */
export interface ClockReading {
  servedAt: string | null;
  now: Date;
}

/**
 * Chooses the times to compare. The API made the answer between request and answer, so only a time outside of both
 * proves a difference. An answer from a cache is older than the request: it cannot prove that this machine's clock is
 * ahead. It can prove that the clock is behind.
 */
export function readClock({ servedAt, cached, sentAt, receivedAt }: AnswerTimes): ClockReading {
  const served = servedAt === null ? Number.NaN : Date.parse(servedAt);
  if (served > receivedAt.getTime()) return { servedAt, now: receivedAt };
  if (served < sentAt.getTime() && !cached) return { servedAt, now: sentAt };
  return { servedAt: null, now: receivedAt };
}

/** What a wrong clock does: it ends the run at its start, stops the work until it is right, or is only described. */
export type ClockRule = 'ends' | 'waits' | 'describes';

/**
 * Compares this machine's clock with the API's clock, because answers are stored under this machine's time.
 * @returns a sentence about the difference; null when it is below 120 s or the API gave no time
 * @throws TidemarkError `ClockWrong` when the clock is off by `CLOCK_TOLERANCE` or more, unless the rule is `describes`
 */
export function checkClock({ servedAt, now }: ClockReading, rule: ClockRule): string | null {
  const ahead = secondsAhead(servedAt, now);
  if (servedAt === null || Math.abs(ahead) < WORTH_A_WORD_SECONDS) return null;
  const off = `This machine's clock (${now.toISOString()}) is ${inWords(Math.abs(ahead))} ${ahead > 0 ? 'ahead of' : 'behind'} the API's (${servedAt}).`;
  if (rule === 'describes' || Math.abs(ahead) < CLOCK_TOLERANCE)
    return `${off} Set it with NTP: the times in the warehouse come from this clock.`;
  const waits = rule === 'waits';
  const then = waits ? 'The run waits and continues when the clock is right' : 'Then start the run again';
  throw new TidemarkError('ClockWrong', off, {
    todo: `Set the clock of this machine with NTP. ${then}. If the API's clock is wrong, tell its operator. Answers are filed by time, so the run fetches nothing while the clock is wrong.`,
    retryable: waits,
  });
}

/**
 * Describes landed answers whose timestamps are in the future, because the clock of a machine was ahead.
 * @param newest timestamp of the newest landed answer
 * @returns a sentence for the run's notes; null when no timestamp is 120 s or more ahead
 */
export function stampedAhead(newest: string | null, now: Date): string | null {
  const ahead = secondsAhead(now.toISOString(), new Date(newest ?? now));
  if (newest === null || ahead < WORTH_A_WORD_SECONDS) return null;
  return `Earlier answers have time stamps up to ${newest}, ${inWords(ahead)} ahead of this machine's clock (${now.toISOString()}). Until the clock reaches that time, each new answer gets a later stamp, so that the newest answer wins. \`tidemark doctor\` names the runs.`;
}

function secondsAhead(servedAt: string | null, now: Date): number {
  return servedAt === null ? 0 : Math.round((now.getTime() - Date.parse(servedAt)) / 1_000);
}

/** Rounds down to the largest unit of which there are at least two. */
function inWords(seconds: number): string {
  if (seconds >= 2 * DAY_SECONDS) return `${Math.floor(seconds / DAY_SECONDS)} days`;
  if (seconds >= 2 * 3_600) return `${Math.floor(seconds / 3_600)} hours`;
  return seconds >= 120 ? `${Math.floor(seconds / 60)} minutes` : `${seconds} s`;
}
