import { AsyncLocalStorage } from 'node:async_hooks';
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { RequestsRecord } from '../../schemas/pipeline/landing.js';
import type { AttemptReport } from '../api/index.js';
import { requestsDir, requestsFile } from '../store/data-folder.js';
import { asDiskError } from '../store/disk-errors.js';
import { makeFolderSync, namesIn } from '../store/files.js';
import { addLatency, mergeLatencies, percentile, type LatencyBuckets } from './latency.js';
import type { Data } from '../store/data.js';

interface Tally {
  requests: number;
  errors: number;
  retries: number;
  bytes: number;
  latencies: LatencyBuckets;
}

// Milliseconds between two writes of answers. If a worker is killed, the marks of this time say how many were sent.
const FLUSH_EVERY_MS = 100;
/** One mark for each request, written before the request is sent. */
const SENT = '.';
/** Endpoint of requests that were sent and whose answer is not logged, because a worker was killed. */
export const UNKNOWN = 'unknown';

/**
 * Logs every attempt of one activity, including failed attempts, in `data/runs/<run>/requests/<chunk>.ndjson`. Each
 * line counts the attempts since the line before, so the sum of all lines includes attempts of killed workers. Before
 * each request, a mark is written in front of the next line. So the log of a killed worker also says how many requests
 * were in flight.
 */
export class RequestLog {
  readonly #data: Data;
  readonly #file: string;
  #pending = new Map<string, Tally>();
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;
  /** Descriptor of the open file; undefined before the first request and after `close`. */
  #open: number | undefined;
  #isClosed = false;
  /** Number of attempts that this object has logged. */
  requests = 0;

  constructor(data: Data, run: string, chunk: string) {
    this.#data = data;
    this.#file = requestsFile(data.dataDir, run, chunk);
  }

  /** Marks that a request is about to be sent. One byte in the memory of the operating system survives `kill -9`. */
  sending(): void {
    try {
      this.#write(SENT);
    } catch {
      // The answer is logged, too, and that write reports the error.
    }
  }

  add(attempt: AttemptReport): void {
    this.requests++;
    const tally = this.#pending.get(attempt.endpoint) ?? newTally();
    this.#pending.set(attempt.endpoint, tally);
    tally.requests++;
    if (attempt.error !== null) tally.errors++;
    if (attempt.retry) tally.retries++;
    tally.bytes += attempt.bytes;
    addLatency(tally.latencies, attempt.ms);
    // Start a timer that writes the entries, because no further request may follow.
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_EVERY_MS).unref();
  }

  /**
   * Writes the remaining entries.
   * @throws TidemarkError `DiskFull` when the entries cannot be written
   */
  close(): void {
    this.#flush();
    this.#isClosed = true;
    this.#closeFile();
    if (this.#failure !== undefined) throw asDiskError(this.#failure, this.#file);
  }

  /** Gives the log to the machine that closes the run. Does nothing if the data is in a folder. */
  async give(): Promise<void> {
    const data = this.#data;
    if (!existsSync(this.#file)) return;
    await data.storage?.upload(data.keyOf(this.#file).replace(/ndjson$/, `${data.id}.ndjson`), this.#file);
  }

  #write(text: string): void {
    if (this.#open === undefined) makeFolderSync(path.dirname(this.#file));
    this.#open ??= openSync(this.#file, 'a');
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(this.#open, bytes, at);
    // A request in flight may be answered after `close`, when another one has failed.
    if (this.#isClosed) this.#closeFile();
  }

  #closeFile(): void {
    if (this.#open !== undefined) closeSync(this.#open);
    this.#open = undefined;
  }

  /**
   * Writes the waiting entries. After a write error, keeps the entries for the next write instead of throwing, because
   * an answered call must not fail.
   */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.size === 0) return;
    // After a failed write, the file may end with an incomplete line. Start a new line.
    const mend = this.#failure === undefined ? '' : '\n';
    try {
      this.#write(`${mend}${JSON.stringify(Object.fromEntries(this.#pending))}\n`);
      this.#pending = new Map();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error;
    }
  }
}

const current = new AsyncLocalStorage<RequestLog>();

/** Runs `work` and logs all requests that it sends, directly or in functions that it calls. Then closes the log. */
export async function bookingIn<T>(log: RequestLog, work: () => Promise<T>): Promise<T> {
  try {
    return await current.run(log, work);
  } finally {
    log.close();
    await log.give();
  }
}

/** Marks a request in the log of the activity that sends it. The API client calls this function before it sends. */
export function bookSent(): void {
  current.getStore()?.sending();
}

/** Logs an attempt in the log of the activity that sent the request. The API client calls this function. */
export function bookAttempt(attempt: AttemptReport): void {
  current.getStore()?.add(attempt);
}

/** Takes the request logs that other machines have given for a run. */
export async function pullRequests(data: Data, run: string): Promise<void> {
  if (!data.isShared()) return;
  const given = await data.listGiven(requestsDir(data.dataDir, run));
  const others = given.filter(({ file }) => !file.endsWith(`.${data.id}.ndjson`));
  await data.all(others, async ({ file }) => data.take(file));
}

/**
 * Adds up the requests of a run, by endpoint. Requests that were sent by a worker that was killed before it logged their
 * answer have the endpoint `unknown`.
 */
export function readRequests(dataDir: string, run: string): RequestsRecord[] {
  const folder = requestsDir(dataDir, run);
  const totals = new Map<string, Tally>();
  let unknown = 0;
  for (const name of namesIn(folder)) {
    let [sent, answered] = [0, 0];
    for (const line of readFileSync(path.join(folder, name), 'utf8').split('\n')) {
      const text = line.replace(/^\.+/, '');
      sent += line.length - text.length;
      for (const [endpoint, tally] of Object.entries(parseLine(text))) {
        const total = totals.get(endpoint) ?? newTally();
        totals.set(endpoint, total);
        answered += tally.requests;
        total.requests += tally.requests;
        total.errors += tally.errors;
        total.retries += tally.retries;
        total.bytes += tally.bytes;
        mergeLatencies(total.latencies, tally.latencies);
      }
    }
    // A power cut may lose marks.
    unknown += Math.max(0, sent - answered);
  }
  if (unknown > 0) totals.set(UNKNOWN, { ...newTally(), requests: unknown });
  return [...totals].map(([endpoint, { latencies, ...counts }]) => ({
    endpoint,
    ...counts,
    p50_ms: percentile(latencies, 0.5),
    p99_ms: percentile(latencies, 0.99),
  }));
}

function parseLine(text: string): Record<string, Tally> {
  try {
    return JSON.parse(text) as Record<string, Tally>;
  } catch {
    return {}; // skip empty and incomplete lines
  }
}

function newTally(): Tally {
  return { requests: 0, errors: 0, retries: 0, bytes: 0, latencies: {} };
}
