import { createHash } from 'node:crypto';
import type { PollOwnerJobsInput, PollOwnerJobsResult } from '../../../../schemas/pipeline/activities.js';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import type { ApiError } from '../../../api/index.js';
import { PartWriter, type NewRow } from '../../../landing/index.js';
import { rowOf } from '../../records/answer.js';
import { mostInFlight, type CrawlDeps, type Heartbeat } from '../../records/deps.js';
import { inParallel } from '../../../base/in-parallel.js';
import { refusalOf } from '../../judge/refusal.js';
import { runAttempt } from '../../attempt/run-attempt.js';
import { kindOf } from '../../judge/kinds.js';
import { carefully, findLostStart, rowInWords, rowKindOf } from './ask-owners.js';
import { readJob } from '../../../api/routes/read-ownership.js';
import { JobFiles } from './job-files.js';
import {
  decidePoll,
  FRUITLESS,
  GIVE_UP_DAYS,
  MISSES,
  POLL_SECONDS,
  secondsToPoll,
  type JobEnd,
  type OwnerJob,
  type PollTimes,
} from './job-state.js';

/**
 * Polls each open job of the run once, unless it was polled within the interval. Also takes over and polls jobs that
 * another run no longer polls. Lands answers that changed, and ends jobs. If the activity is retried, no job is polled
 * twice, because the worker writes the job's file before it sends the request.
 * @throws any error that concerns every request, such as TokenVerificationError
 */
export async function pollOwnerJobs(
  deps: CrawlDeps,
  { ctx, round }: PollOwnerJobsInput,
  heartbeat: Heartbeat,
): Promise<PollOwnerJobsResult> {
  const chunk = `poll-${String(round).padStart(5, '0')}`;
  const { data } = deps;
  const pollEvery = deps.ownerPollSeconds ?? POLL_SECONDS;
  const target = {
    data,
    stream: 'ownership_jobs',
    run: ctx.run,
    date: ctx.date,
    market: ctx.market,
    chunk,
  } as const;
  const files = new JobFiles(data);
  await files.pull();
  const committed = await PartWriter.committed(target);
  if (committed)
    return { ...openJobs(files, ctx, pollEvery), rows: committed.rows, requests: 0, limited: false, fruitless: 0 };
  const writer = await PartWriter.open(target);
  const poller = new Poller(deps, ctx, files, writer, heartbeat);
  const { how, requests } = await runAttempt({ deps, ctx, heartbeat }, chunk, writer, () =>
    inParallel(files.listOpen(), mostInFlight(deps), (job) => poller.poll(job)),
  );
  const fruitless = writer.rows.filter(({ row_kind }) => FRUITLESS.has(row_kind.split(':')[0] ?? '')).length;
  const counts = { rows: writer.rows.length, requests, fruitless };
  if (how === 'limited') await writer.close();
  else await writer.commit();
  const refused = poller.refused === null ? {} : { refused: [refusalOf('ownership_jobs', poller.refused)] };
  return { ...openJobs(files, ctx, pollEvery), limited: how === 'limited', ...counts, ...refused };
}

/** Returns the number of the run's open jobs, and the seconds until the first of them may be polled again. */
function openJobs(
  files: JobFiles,
  { run }: RunContext,
  pollEvery: number,
): Pick<PollOwnerJobsResult, 'open' | 'nextInSeconds'> {
  const own = files.listOpen().filter((job) => job.run === run);
  const times = { real: new Date(), now: new Date(), pollEvery };
  return { open: own.length, nextInSeconds: Math.min(pollEvery, ...own.map((job) => secondsToPoll(job, times))) };
}

class Poller {
  /** The error with which the API refused the route; null if it did not. */
  refused: ApiError | null = null;
  readonly #deps: CrawlDeps;
  readonly #ctx: RunContext;
  readonly #files: JobFiles;
  readonly #writer: PartWriter;
  readonly #heartbeat: Heartbeat;

  constructor(deps: CrawlDeps, ctx: RunContext, files: JobFiles, writer: PartWriter, heartbeat: Heartbeat) {
    this.#deps = deps;
    this.#ctx = ctx;
    this.#files = files;
    this.#writer = writer;
    this.#heartbeat = heartbeat;
  }

  async poll(job: OwnerJob): Promise<void> {
    this.#heartbeat.signal.throwIfAborted();
    this.#heartbeat.report({ step: 'owner jobs', done: 0, total: null, requests: 0 });
    const { clock, ownerPollSeconds: pollEvery = POLL_SECONDS } = this.#deps;
    const times: PollTimes = { now: clock.now(), real: new Date(), pollEvery };
    const decision = decidePoll(job, this.#ctx.run, times);
    if (decision === 'expire') return this.#expire({ ...job, run: this.#ctx.run });
    if (decision !== 'poll') return;
    const polled: OwnerJob = { ...job, run: this.#ctx.run, polledAt: times.real.toISOString() };
    // Write the file before the request. After a crash, the next attempt must not poll again within the interval.
    await this.#files.write(polled);
    try {
      await (polled.jobId === null ? this.#settle(polled) : this.#read(polled, polled.jobId));
    } catch (error) {
      const kind = kindOf(error);
      if (this.#heartbeat.signal.aborted || ['fatal', 'key', 'daily'].includes(kind)) throw error;
      if (kind === 'gone' && polled.jobId !== null) return this.#miss(polled);
      if (kind === 'refused') this.refused = error as ApiError;
      // Ignore any other error, because it concerns only this poll. The job is polled again after the interval, until
      // it expires.
    }
  }

  async #read(job: OwnerJob, jobId: string): Promise<void> {
    const response = await this.#deps.client.v2.kyb.uboEnrichment(job.company, jobId, {
      signal: this.#heartbeat.signal,
    });
    const { state } = readJob(response.body);
    const end = state === 'done' || state === 'failed' ? state : null;
    const row = carefully(this.#deps, rowOf(response, job.company, rowKindOf(end ?? 'running', jobId)));
    const sha = createHash('sha256').update(row.body).digest('hex');
    if (end !== null) return this.#end(job, row);
    // Land only an answer that differs from the answer before it, because a job may be polled for days.
    if (sha !== job.landed) await this.#writer.keep(row);
    await this.#files.write({ ...job, misses: 0, landed: sha, row: null });
  }

  /** Finds out whether a request whose answer was lost started a job. */
  async #settle(job: OwnerJob): Promise<void> {
    const at = this.#deps.clock.now();
    const found = await findLostStart(this.#deps, this.#ctx, job.company, { signal: this.#heartbeat.signal, at });
    if (found.state !== 'started') return this.#end(job, found.row);
    await this.#writer.keep(found.row);
    await this.#files.write({ ...job, state: 'started', jobId: found.jobId });
  }

  async #miss(job: OwnerJob): Promise<void> {
    const misses = job.misses + 1;
    if (misses < MISSES) return this.#files.write({ ...job, misses });
    return this.#endInWords(job, 'vanished', `The API did not find job ${job.jobId} in ${misses} polls in a row.`);
  }

  async #expire(job: OwnerJob): Promise<void> {
    const words = `Job ${job.jobId ?? '(unknown)'} did not end within ${GIVE_UP_DAYS} days.`;
    return this.#endInWords(job, 'expired', words);
  }

  #endInWords(job: OwnerJob, end: JobEnd, words: string): Promise<void> {
    return this.#end(
      job,
      rowInWords(job.company, end, job.jobId, words, (this.#deps.stamps ?? this.#deps.clock).now()),
    );
  }

  /**
   * Lands the last row, then ends the job. After a crash between the two steps, the row is landed again; no row is
   * lost.
   */
  async #end(job: OwnerJob, row: NewRow): Promise<void> {
    await this.#writer.keep(row);
    await this.#writer.sync();
    await this.#files.end({ ...job, row: null }, this.#deps.clock.now());
  }
}
