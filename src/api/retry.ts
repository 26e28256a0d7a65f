import { readHttpDate, readServedAt } from '../base/network/http-date.js';
import { DAY_MS } from '../base/time/time.js';
import type { ApiClientOptions } from './options.js';
import { headerOf, type Headers } from './transport.js';

/** Longest wait that an answer can ask for. The callers wait less. */
const LONGEST_MS = DAY_MS;

/** Says how often to retry a call, and limits the waits. */
export type RetryPolicy = Required<
  Pick<ApiClientOptions, 'maxRetries' | 'retryBaseMs' | 'retryCapMs' | 'maxRetryAfterMs'>
>;

/**
 * Converts `Retry-After` (seconds or an HTTP date) to milliseconds, at most a day. Returns null when it is missing or
 * unreadable.
 * Compares a date with the answer's own `Date`, because this machine's clock may be wrong, or may simulate a later
 * night.
 */
export function parseRetryAfter(headers: Headers, nowMs: number): number | null {
  const text = headerOf(headers, 'retry-after')?.trim() ?? '';
  if (text === '') return null;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : null;
  const at = seconds === null ? readHttpDate(text) : null;
  if (seconds === null && at === null) return null;
  const wait = seconds === null ? at! - (readServedAt(headerOf(headers, 'date')) ?? nowMs) : seconds * 1_000;
  return Math.min(LONGEST_MS, Math.max(0, wait));
}

/**
 * Returns the wait in milliseconds after attempt number `attempt` (from 1). The wait is random between 0 and the
 * exponential backoff (full jitter), but not shorter than `Retry-After`. The policy limits the backoff and
 * `Retry-After`.
 * @param random a number in [0, 1)
 */
export function retryDelay(policy: RetryPolicy, attempt: number, retryAfterMs: number | null, random: number): number {
  const ceiling = Math.min(policy.retryCapMs, policy.retryBaseMs * 2 ** (attempt - 1));
  const jitter = Math.floor(random * ceiling);
  return retryAfterMs === null ? jitter : Math.max(jitter, Math.min(retryAfterMs, policy.maxRetryAfterMs));
}
