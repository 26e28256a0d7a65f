import type { NewRow } from '../../landing/index.js';

/**
 * The enrichment job of a company, as kept on disk.
 *
 * States and transitions:
 * - (no job) → asked: the intent, on disk before the request is sent
 * - asked → (no job): the API surely started no job (it refused the request)
 * - asked → started: the API answered with a job id; or the owners, read again after a crash, name a job
 * - asked → ended: the answer names no job (`nojob`); or a crash or fault left unknown whether a job runs (`unknown`)
 * - started → ended: `done`, `failed`, `vanished` (MISSES times not found), or `expired` (older than giveUpAfter)
 *
 * Only one run polls a job: `run`. Another run takes over a job that nobody polled for three intervals.
 */
export interface OwnerJob {
  /** Company id. */
  company: string;
  state: 'asked' | 'started' | 'ended';
  /** Run that started the job or took it over. */
  run: string;
  jobId: string | null;
  /** ISO instants. */
  askedAt: string;
  endedAt: string | null;
  /** When the job was last polled; at first, when it was asked for. By the machine's clock, as the interval is real time. */
  polledAt: string;
  /** Consecutive polls that were answered "not found". */
  misses: number;
  /** Row about the start, until it is surely landed. Without personal data unless the configuration keeps it. */
  row: NewRow | null;
  /** Hash of the last landed body. */
  landed: string | null;
}

export type JobEnd = 'done' | 'failed' | 'vanished' | 'expired' | 'nojob' | 'unknown';

/** Ends without a result. The warehouse shows them as rejects. */
export const FRUITLESS: ReadonlySet<string> = new Set<JobEnd>(['failed', 'vanished', 'expired', 'nojob', 'unknown']);

/** After this many consecutive 404s, a job has vanished. Right after its start, one 404 may be a delay. */
export const MISSES = 3;

// Another run may still wait for the answer to its request.
const IN_FLIGHT_MS = 10 * 60_000;
const INTERVALS_UNTIL_ORPHAN = 3;

/**
 * What to do about a company that is due for a job.
 * - start: no job is open, so start one
 * - land: this run started or ended the job before a crash; land the kept row, without a request
 * - ask: the outcome of an earlier start is unknown; read the owners again
 * - leave: another run has the job
 */
export type StartDecision = 'start' | 'land' | 'ask' | 'leave';

/** Decides what to do about a company that is due for a job. @param now the machine's clock */
export function decideStart(job: OwnerJob | null, run: { run: string; startedAt: string }, now: Date): StartDecision {
  if (job === null) return 'start';
  if (job.state === 'asked') {
    const mayBeInFlight = job.run !== run.run && now.getTime() - Date.parse(job.polledAt) < IN_FLIGHT_MS;
    return mayBeInFlight ? 'leave' : 'ask';
  }
  if (job.run === run.run && job.row !== null) return 'land';
  if (job.state === 'started') return 'leave';
  // The list of due companies may be older than the end of the job.
  return (job.endedAt ?? '') >= run.startedAt ? 'leave' : 'start';
}

/** The times of a poll. `now` is the logical clock; `real` is the machine's clock. */
export interface PollTimes {
  now: Date;
  real: Date;
  /** Seconds. */
  pollEvery: number;
  giveUpAfter: number;
}

/**
 * What to do with an open job in a round of polls.
 * - poll: request its state (`asked`: read the owners again)
 * - wait: polled within the interval
 * - expire: older than giveUpAfter
 * - leave: another run polls it
 */
export type PollDecision = 'poll' | 'wait' | 'expire' | 'leave';

/** Decides what a round of polls does with an open job. @param run the run that polls */
export function decidePoll(job: OwnerJob, run: string, times: PollTimes): PollDecision {
  const sincePoll = times.real.getTime() - Date.parse(job.polledAt);
  const interval = times.pollEvery * 1_000;
  // A poll in the future comes from a clock that was set back.
  if (job.run !== run && sincePoll >= 0 && sincePoll < INTERVALS_UNTIL_ORPHAN * Math.max(interval, IN_FLIGHT_MS))
    return 'leave';
  if (times.now.getTime() - Date.parse(job.askedAt) > times.giveUpAfter * 1_000) return 'expire';
  return sincePoll >= 0 && sincePoll < interval ? 'wait' : 'poll';
}

/** Seconds until a job may be polled again, at least 1 and at most the interval. */
export function secondsToPoll(job: OwnerJob, { real, pollEvery }: PollTimes): number {
  const left = Date.parse(job.polledAt) / 1_000 + pollEvery - real.getTime() / 1_000;
  return Math.min(pollEvery, Math.max(1, Math.ceil(left)));
}
