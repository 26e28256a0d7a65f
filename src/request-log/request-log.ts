import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { RequestsRecord } from '../../schemas/pipeline/landing.js';
import type { AttemptReport } from '../api-client/index.js';
import { requestsDir, requestsFile } from '../core/data-folder.js';
import { asDiskFull } from '../core/files.js';
import { addLatency, mergeLatencies, percentile, type LatencyBuckets } from './latency.js';

interface Tally {
  requests: number;
  errors: number;
  retries: number;
  bytes: number;
  latencies: LatencyBuckets;
}

// Milliseconds between two writes. A killed worker loses at most the entries of this time.
const FLUSH_EVERY_MS = 100;

/**
 * Logs every attempt of one activity, failed ones included, in `data/runs/<run>/requests/<chunk>.ndjson`. Each line
 * holds the counts since the line before, so attempts of killed workers count, too.
 */
export class RequestLog {
  readonly #file: string;
  #pending = new Map<string, Tally>();
  #timer: NodeJS.Timeout | undefined;
  #failure: unknown;
  /** Attempts in this log object. */
  requests = 0;

  constructor(dataDir: string, run: string, chunk: string) {
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
    // A timer also writes the last entries before a long silence.
    this.#timer ??= setTimeout(() => this.#flush(), FLUSH_EVERY_MS).unref();
  }

  /**
   * Writes the remaining entries.
   * @throws TidemarkError `DiskFull` when they cannot be written
   */
  close(): void {
    this.#flush();
    if (this.#failure !== undefined) throw asDiskFull(this.#failure, this.#file);
  }

  /**
   * Writes the waiting entries. After a write error, keeps them for the next time, so that an answered call does not
   * fail.
   */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending.size === 0) return;
    // A full disk may have written half a line: start a new one.
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

/** Logs all requests that `work` sends, at any call depth, in this log. Then closes the log. */
export async function bookingIn<T>(log: RequestLog, work: () => Promise<T>): Promise<T> {
  try {
    return await current.run(log, work);
  } finally {
    log.close();
  }
}

/** Hook of the API client: logs an attempt in the log of the activity that sent the request. */
export function bookAttempt(attempt: AttemptReport): void {
  current.getStore()?.add(attempt);
}

/** Adds up a run's requests so far, per endpoint. */
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
    return {}; // skip an empty line, and one that a kill has torn
  }
}

function newTally(): Tally {
  return { requests: 0, errors: 0, retries: 0, bytes: 0, latencies: {} };
}
