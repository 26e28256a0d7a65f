import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RequestsRecord } from '../../schemas/pipeline/landing.js';
import type { AttemptReport } from '../api-client/index.js';
import { requestsDir, requestsFile } from '../core/data-folder.js';
import { asDiskFull } from '../core/files.js';
import { workingCopyOf } from '../working-copy/open.js';
import { addLatency, mergeLatencies, percentile, type LatencyBuckets } from './latency.js';

interface Tally {
  requests: number;
  errors: number;
  retries: number;
  bytes: number;
  latencies: LatencyBuckets;
}

// Milliseconds between two writes. If a worker is killed, at most the entries of this time are lost.
const FLUSH_EVERY_MS = 100;

/**
 * Logs every attempt of one activity, including failed attempts, in `data/runs/<run>/requests/<chunk>.ndjson`. Each
 * line counts the attempts since the line before, so the sum of all lines includes attempts of killed workers.
 */
export class RequestLog {
  readonly #dataDir: string;
  readonly #file: string;
  #pending = new Map<string, Tally>();
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;
  /** Number of attempts that this object has logged. */
  requests = 0;

  constructor(dataDir: string, run: string, chunk: string) {
    this.#dataDir = dataDir;
    this.#file = requestsFile(dataDir, run, chunk);
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
    if (this.#failure !== undefined) throw asDiskFull(this.#failure, this.#file);
  }

  /** Gives the log to the machine that closes the run. Does nothing if the data is in a folder. */
  async give(): Promise<void> {
    const copy = workingCopyOf(this.#dataDir);
    if (copy === undefined || !existsSync(this.#file)) return;
    await copy.giveAs(copy.keyOf(this.#file).replace(/ndjson$/, `${copy.id}.ndjson`), this.#file);
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
      mkdirSync(path.dirname(this.#file), { recursive: true });
      appendFileSync(this.#file, `${mend}${JSON.stringify(Object.fromEntries(this.#pending))}\n`);
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

/** Logs an attempt in the log of the activity that sent the request. The API client calls this function. */
export function bookAttempt(attempt: AttemptReport): void {
  current.getStore()?.add(attempt);
}

/** Takes the request logs that other machines have given for a run. */
export async function pullRequests(dataDir: string, run: string): Promise<void> {
  const copy = workingCopyOf(dataDir);
  if (copy === undefined) return;
  const given = await copy.list(requestsDir(dataDir, run));
  const others = given.filter(({ file }) => !file.endsWith(`.${copy.id}.ndjson`));
  await copy.all(others, async ({ file }) => {
    await copy.refresh(file);
  });
}

/** Adds up the requests of a run, by endpoint. */
export function readRequests(dataDir: string, run: string): RequestsRecord[] {
  const folder = requestsDir(dataDir, run);
  const totals = new Map<string, Tally>();
  for (const name of existsSync(folder) ? readdirSync(folder).toSorted() : []) {
    for (const line of readFileSync(path.join(folder, name), 'utf8').split('\n')) {
      for (const [endpoint, tally] of Object.entries(parseLine(line))) {
        const total = totals.get(endpoint) ?? newTally();
        totals.set(endpoint, total);
        total.requests += tally.requests;
        total.errors += tally.errors;
        total.retries += tally.retries;
        total.bytes += tally.bytes;
        mergeLatencies(total.latencies, tally.latencies);
      }
    }
  }
  return [...totals].map(([endpoint, { latencies, ...counts }]) => ({
    endpoint,
    ...counts,
    p50_ms: percentile(latencies, 0.5),
    p99_ms: percentile(latencies, 0.99),
  }));
}

function parseLine(line: string): Record<string, Tally> {
  try {
    return JSON.parse(line) as Record<string, Tally>;
  } catch {
    return {}; // skip empty and incomplete lines
  }
}

function newTally(): Tally {
  return { requests: 0, errors: 0, retries: 0, bytes: 0, latencies: {} };
}
