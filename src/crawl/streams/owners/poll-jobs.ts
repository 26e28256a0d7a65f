import type { PollOwnerJobsInput, PollOwnerJobsResult } from '../../../../schemas/pipeline/activities.js';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import type { ApiError } from '../../../api/index.js';
import { readJob, readOwners } from '../../../api/routes/read-ownership.js';
import { sha256 } from '../../../base/hash.js';
import { inParallel } from '../../../base/in-parallel.js';
import { PartWriter, type NewRow } from '../../../landing/index.js';
import { landAttempt } from '../../attempt/land-attempt.js';
import { kindOf } from '../../judge/kinds.js';
import { refusalOf } from '../../judge/refusal.js';
import { rowOf } from '../../records/answer.js';
import { mostInFlight, type CrawlDeps, type Heartbeat } from '../../records/deps.js';
import { partOf } from '../../records/land-records.js';
import { carefully, rowKindOf, settingsOf, thresholdParameter } from './ask-owners.js';
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
  const { run } = ctx;
  const target = partOf(deps, ctx, 'ownership_jobs', `poll-${String(round).padStart(5, '0')}`);
  const pollEvery = deps.ownerPollSeconds ?? POLL_SECONDS;
  const files = new JobFiles(deps.data);
  await files.pull();
  const committed = await PartWriter.committed(target);
  if (committed)
    return { ...openJobs(files, run, pollEvery), rows: committed.rows, requests: 0, limited: false, fruitless: 0 };
  const writer = await PartWriter.open(target);
  const poller = new Poller(deps, ctx, files, writer, heartbeat);
  const { how, rows, requests } = await landAttempt({ deps, ctx, heartbeat }, target, writer, () =>
    inParallel(files.listOpen(), mostInFlight(deps), (job) => poller.poll(job, pollEvery)),
  );
  return {
    ...openJobs(files, run, pollEvery),
    limited: how === 'limited',
    rows,
    requests,
    fruitless: writer.rows.filter(({ row_kind }) => FRUITLESS.has(row_kind.split(':')[0] ?? '')).length,
    ...(poller.refused === null ? {} : { refused: [refusalOf('ownership_jobs', poller.refused)] }),
  };
}

/** Returns the number of the run's open jobs, and the seconds until the first of them may be polled again. */
function openJobs(
  files: JobFiles,
  run: string,
  pollEvery: number,
): Pick<PollOwnerJobsResult, 'open' | 'nextInSeconds'> {
  const own = files.listOpen().filter((job) => job.run === run);
  const times = { real: new Date(), now: new Date(), pollEvery };
  return { open: own.length, nextInSeconds: Math.min(pollEvery, ...own.map((job) => secondsToPoll(job, times))) };
}

class Poller {
  /** The error with which the API refused the route; null if it did not. */
  refused: ApiError | null = null;

  constructor(
    readonly deps: CrawlDeps,
    readonly ctx: RunContext,
    readonly files: JobFiles,
    readonly writer: PartWriter,
    readonly heartbeat: Heartbeat,
  ) {}

  async poll(open: OwnerJob, pollEvery: number): Promise<void> {
    const { signal } = this.heartbeat;
    signal.throwIfAborted();
    this.heartbeat.report({ step: 'owner jobs', done: 0, total: null, requests: 0 });
    const real = new Date();
    const decision = decidePoll(open, this.ctx.run, { now: this.deps.clock.now(), real, pollEvery });
    const job: OwnerJob = { ...open, run: this.ctx.run };
    if (decision === 'expire')
      return this.#giveUp(job, 'expired', `Job ${job.jobId ?? '(unknown)'} did not end within ${GIVE_UP_DAYS} days.`);
    if (decision !== 'poll') return;
    job.polledAt = real.toISOString();
    // Write the file before the request. After a crash, the next attempt must not poll again within the interval.
    await this.files.write(job);
    try {
      await (job.jobId === null ? this.#settle(job) : this.#read(job, job.jobId));
    } catch (error) {
      const kind = kindOf(error);
      if (signal.aborted || ['fatal', 'key', 'daily'].includes(kind)) throw error;
      if (kind === 'gone' && job.jobId !== null) return this.#miss(job);
      if (kind === 'refused') this.refused = error as ApiError;
      // Ignore any other error, because it concerns only this poll. The job is polled again after the interval, until
      // it expires.
    }
  }

  async #read(job: OwnerJob, jobId: string): Promise<void> {
    const { signal } = this.heartbeat;
    const response = await this.deps.client.v2.kyb.uboEnrichment(job.company, jobId, { signal });
    const { state } = readJob(response.body);
    const end = state === 'done' || state === 'failed' ? state : null;
    const row = carefully(this.deps, rowOf(response, job.company, rowKindOf(end ?? 'running', jobId)));
    if (end !== null) return this.#end(job, row);
    const landed = sha256(row.body);
    // Land only an answer that differs from the answer before it, because a job may be polled for days.
    if (landed !== job.landed) await this.writer.keep(row);
    await this.files.write({ ...job, misses: 0, landed, row: null });
  }

  /**
   * Finds out whether a request started a job, if a crash or fault lost its answer. Reads the owners again; never starts
   * a second job.
   */
  async #settle(job: OwnerJob): Promise<void> {
    const query = thresholdParameter(settingsOf(this.ctx));
    const response = await this.deps.client.v2.kyb.ubo(job.company, query, { signal: this.heartbeat.signal });
    const { conclusive, jobId } = readOwners(response.body);
    const row = (state: 'started' | 'done') =>
      carefully(this.deps, rowOf(response, job.company, rowKindOf(state, jobId)));
    if (jobId !== null) {
      await this.writer.keep(row('started'));
      return this.files.write({ ...job, state: 'started', jobId });
    }
    if (conclusive === true) return this.#end(job, row('done'));
    const words =
      'The answer to the request for a job was lost, and the answer about the owners names no job. A job may be running, so Tidemark requests no other job until these owners are due again.';
    return this.#giveUp(job, 'unknown', words);
  }

  async #miss(job: OwnerJob): Promise<void> {
    const misses = job.misses + 1;
    if (misses < MISSES) return this.files.write({ ...job, misses });
    return this.#giveUp(job, 'vanished', `The API did not find job ${job.jobId} in ${misses} polls in a row.`);
  }

  /** Ends a job without a usable answer of the API: lands a row whose text Tidemark writes itself. */
  #giveUp(job: OwnerJob, end: JobEnd, body: string): Promise<void> {
    return this.#end(job, {
      request_key: `TIDEMARK owner job of company ${job.company}`,
      entity_id: job.company,
      row_kind: rowKindOf(end, job.jobId),
      status: 0,
      fetched_at: (this.deps.stamps ?? this.deps.clock).now().toISOString(),
      body,
    });
  }

  /**
   * Lands the last row, then ends the job. After a crash between the two steps, the row is landed again; no row is
   * lost.
   */
  async #end(job: OwnerJob, row: NewRow): Promise<void> {
    await this.writer.keep(row);
    await this.writer.sync();
    await this.files.end({ ...job, row: null }, this.deps.clock.now());
  }
}
