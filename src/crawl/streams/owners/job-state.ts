import type { NewRow } from '../../../landing/index.js';
import { DAY_MS, MINUTE_MS } from '../../../base/time/time.js';

/**
 * The enrichment job of a company, as kept on disk.
 *
 * States and transitions:
 * - (no job) → asked: the worker writes this to disk before it sends the request
 * - asked → (no job): the API surely started no job, because it refused the request
 * - asked → started: the API answered with a job id; or, after a crash or fault, a poll read the owners again, and they
 *   name a job
 * - asked → ended: the answer names no job (`nojob`); or, after a crash or fault, nobody knows whether a job runs
 *   (`unknown`)
 * - started → ended: `done`, `failed`, `vanished` (not found in MISSES polls) or `expired` (older than GIVE_UP_DAYS)
 *
 * Only the run `run` polls the job. If it has not polled the job for three intervals, another run takes the job over.
 */
export interface OwnerJob {
  /** Company id. */
  company: string;
  state: 'asked' | 'started' | 'ended';
  /** The run that started the job, or the run that took it over. */
  run: string;
  jobId: string | null;
  /** ISO instants. */
  askedAt: string;
  endedAt: string | null;
  /**
   * When the job was last polled; before the first poll, when it was requested. Taken from the machine's clock, because
   * the poll interval is real time.
   */
  polledAt: string;
  /** Number of consecutive polls to which the API answered "not found". */
  misses: number;
  /**
   * The row about the start of the job, until it is surely landed. Holds personal data only if the configuration keeps
   * it.
   */
  row: (NewRow & { body: string }) | null;
  /** Hash of the body that was landed last for this job. */
  landed: string | null;
}

export type JobEnd = 'done' | 'failed' | 'vanished' | 'expired' | 'nojob' | 'unknown';

/** Ways in which a job ends without a result. The warehouse shows them as rejects. */
export const FRUITLESS: ReadonlySet<string> = new Set<JobEnd>(['failed', 'vanished', 'expired', 'nojob', 'unknown']);

/** After this many consecutive 404s, the job counts as vanished. A single 404 right after the start may be a delay. */
export const MISSES = 3;

/** Time between two polls of a job, in seconds. */
export const POLL_SECONDS = 300;

/** A job that has not ended after this time is no longer polled. */
export const GIVE_UP_DAYS = 7;

// If another run requested the job less than this long ago, it may still wait for the answer.
const IN_FLIGHT_MS = 10 * MINUTE_MS;
const INTERVALS_UNTIL_ORPHAN = 3;

/**
 * Decides what a run does with a company whose job is due:
 * - start: start a job, because no job is open
 * - land: land the kept row without a request, because this run started or ended the job before a crash
 * - leave: do nothing, because a job may be open; it is polled
 */
export function decideStart(job: OwnerJob | null, run: { run: string; startedAt: string }): 'start' | 'land' | 'leave' {
  if (job === null) return 'start';
  if (job.run === run.run && job.row !== null) return 'land';
  // The job may have ended after the list of due companies was made.
  const endedBefore = job.state === 'ended' && (job.endedAt ?? '') < run.startedAt;
  return endedBefore ? 'start' : 'leave';
}

/**
 * The times that decide about a poll. `now` comes from the process clock, which may simulate a later night. `real`
 * comes from the machine's clock.
 */
export interface PollTimes {
  now: Date;
  real: Date;
  /** In seconds. */
  pollEvery: number;
}

/**
 * Decides what a run does with an open job in a round of polls:
 * - poll: request the state of the job; in the state `asked`, read the owners again
 * - wait: do nothing, because the job was polled within the interval
 * - expire: end the job, because it is older than GIVE_UP_DAYS
 * - leave: do nothing, because another run polls the job
 *
 * @param run the run that polls
 */
export function decidePoll(job: OwnerJob, run: string, times: PollTimes): 'poll' | 'wait' | 'expire' | 'leave' {
  const sincePoll = times.real.getTime() - Date.parse(job.polledAt);
  const interval = times.pollEvery * 1_000;
  // If the last poll is in the future, the machine's clock was set back. Then ignore that time.
  if (job.run !== run && sincePoll >= 0 && sincePoll < INTERVALS_UNTIL_ORPHAN * Math.max(interval, IN_FLIGHT_MS))
    return 'leave';
  if (times.now.getTime() - Date.parse(job.askedAt) > GIVE_UP_DAYS * DAY_MS) return 'expire';
  return sincePoll >= 0 && sincePoll < interval ? 'wait' : 'poll';
}

/** Returns the seconds until a job may be polled again: at least 1, at most the interval. */
export function secondsToPoll(job: OwnerJob, { real, pollEvery }: PollTimes): number {
  const left = Date.parse(job.polledAt) / 1_000 + pollEvery - real.getTime() / 1_000;
  return Math.min(pollEvery, Math.max(1, Math.ceil(left)));
}
