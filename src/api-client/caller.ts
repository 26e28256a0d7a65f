import { setMaxListeners } from 'node:events';

import type { ConcurrencyGate } from './concurrency-gate.js';
import {
  BodyError,
  isLimit,
  LimitError,
  TimeoutError,
  TokenVerificationError,
  TransportError,
  type ApiError,
  type ApiErrorContext,
} from './errors.js';
import type { ApiResponse, AttemptReport, CallOptions } from './options.js';
import type { Pacer } from './pacer.js';
import { readAnswer, type Reader } from './read-answer.js';
import type { QuotaLatch } from './quota-latch.js';
import type { Redactor } from '../core/redact.js';
import { prepareRequest, type PreparedRequest, type RequestParts } from './request.js';
import { parseRetryAfter, retryDelay, sleep, type RetryPolicy } from './retry.js';
import type { Answer, Fault, Transport } from './transport.js';

/** A route of the API, with the reader of its answers and its retry rule. */
export interface Route<T> {
  /** `METHOD /path/{id}`. */
  endpoint: string;
  reader: Reader<T>;
  /**
   * When a failed request may be sent again. `unsent`: only if the API surely did not act (connection refused, rate
   * limit). For these routes, a second execution would cost money or create a second object.
   */
  repeat: 'always' | 'unsent';
}

/** Options of a caller, shared by all routes of one client. */
export interface CallerOptions {
  transport: Transport;
  redactor: Redactor;
  gate: ConcurrencyGate;
  pacer: Pacer;
  latch: QuotaLatch;
  retry: RetryPolicy;
  timeoutMs: number;
  onAttempt: ((attempt: AttemptReport) => void) | undefined;
  now: () => Date;
  /** Aborted when the client closes. */
  closing: AbortSignal;
}

type Outcome<T> = { ok: true; response: ApiResponse<T> } | { ok: false; error: ApiError; retryAfterMs: number | null };

/** Error codes which prove that no byte of the request reached the API. */
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_CLOSED',
  'UND_ERR_DESTROYED',
]);

/** Error codes of Node and OpenSSL for a server whose certificate is not trusted. */
const UNTRUSTED = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/;
const TRUST_ADVICE =
  'The certificate is not trusted and nothing was sent. For your own certificate authority, set NODE_EXTRA_CA_CERTS to its PEM file';

// Retry a 401 at most this often if the API accepted the API key before. A single 401 may be the API's mistake.
const REFUSALS_DOUBTED = 2;
// After this many milliseconds with only `limit` answers, retry each call only once, and leave the waiting to the
// caller of the client. More retries would take minutes.
const LIMIT_BELIEVED_MS = 10_000;

/** Sends calls: waits for a free slot and for the pace, retries, and turns each answer into data or an ApiError. */
export class Caller {
  readonly #options: CallerOptions;
  #keyAccepted = false;
  /** Time of the first `limit` answer since the last good answer; null if there was none. */
  #limitedSince: number | null = null;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  /**
   * Makes one call, with retries.
   * @throws ApiError when the call failed; ClientClosedError when the client closed; the signal's reason when the
   * signal aborted
   */
  async call<T>(route: Route<T>, parts: RequestParts, call: CallOptions = {}): Promise<ApiResponse<T>> {
    const { mask } = call;
    const prepared = prepareRequest(route.endpoint, parts);
    const request = mask === undefined ? prepared : { ...prepared, key: mask(prepared.key) };
    const { retry, closing } = this.#options;
    // Thousands of calls may share one signal, so switch off Node's warning about many listeners.
    if (call.signal !== undefined) setMaxListeners(0, call.signal);
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#attempt(route, request, attempt, call);
      if (outcome.ok) return outcome.response;
      if (attempt > this.#repeats(route, outcome.error)) throw outcome.error;
      const wait = retryDelay(retry, attempt, outcome.retryAfterMs, Math.random());
      await sleep(wait, [closing, call.signal]);
    }
  }

  /** Returns how often a call may be sent again after this error. */
  #repeats(route: Route<unknown>, error: ApiError): number {
    const { maxRetries } = this.#options.retry;
    if (error instanceof TokenVerificationError && this.#keyAccepted && route.repeat === 'always')
      return Math.min(REFUSALS_DOUBTED, maxRetries);
    const limitLasts = this.#limitedSince !== null && performance.now() - this.#limitedSince > LIMIT_BELIEVED_MS;
    if (isLimit(error) && limitLasts) return Math.min(1, maxRetries);
    return mayRepeat(route, error) ? maxRetries : 0;
  }

  async #attempt<T>(
    route: Route<T>,
    request: PreparedRequest,
    attempt: number,
    { signal, mask }: CallOptions,
  ): Promise<Outcome<T>> {
    const { gate, pacer, latch, transport, closing, retry } = this.#options;
    signal?.throwIfAborted();
    const ticket = gate.tryAcquire() || (await gate.acquire(signal));
    try {
      signal?.throwIfAborted(); // the signal may have aborted while the call waited for the slot
      const pause = pacer.reserve(performance.now());
      if (pause > 0) await sleep(pause, [closing, signal]);
      const refusal = latch.refusal(this.#context(route, request, attempt - 1));
      if (refusal) return { ok: false, error: refusal, retryAfterMs: null };
      const started = performance.now();
      const sent = await transport.send(request, signal);
      const raw = mask === undefined ? sent : masked(sent, mask);
      const outcome = this.#read(route, request, raw, attempt);
      this.#report(route, raw, outcome, attempt, performance.now() - started);
      if (!raw.ok && raw.kind === 'aborted') throw signal?.reason;
      if (!outcome.ok) latch.heard(outcome.error);
      if (outcome.ok) {
        this.#keyAccepted = true;
        this.#limitedSince = null;
        gate.succeeded();
        pacer.succeeded(performance.now());
      } else if (outcome.error instanceof LimitError && outcome.error.retryable) {
        // The API does not say whether too many requests are in flight or too many are sent per second, so reduce both.
        this.#limitedSince ??= performance.now();
        gate.limited(ticket);
        pacer.limited(performance.now(), Math.min(outcome.retryAfterMs ?? 0, retry.maxRetryAfterMs));
      }
      return outcome;
    } finally {
      gate.release();
    }
  }

  #context(route: Route<unknown>, request: PreparedRequest, attempts: number): ApiErrorContext {
    const { redactor, now } = this.#options;
    const requestKey = redactor.text(request.key);
    return { endpoint: route.endpoint, requestKey, status: 0, body: '', fetchedAt: now().toISOString(), attempts };
  }

  #read<T>(route: Route<T>, request: PreparedRequest, raw: Answer | Fault, attempts: number): Outcome<T> {
    const { redactor, now, timeoutMs } = this.#options;
    const { endpoint } = route;
    const requestKey = redactor.data(request.key);
    const fetchedAt = now().toISOString();
    const base = { endpoint, requestKey, status: raw.status, fetchedAt, attempts };
    if (!raw.ok) {
      const error = faultError(raw, { ...base, requestKey: redactor.text(request.key), body: '' }, redactor, timeoutMs);
      return { ok: false, error, retryAfterMs: null };
    }
    const body = redactor.data(raw.text.charCodeAt(0) === 0xfeff ? raw.text.slice(1) : raw.text);
    const retryAfterMs = parseRetryAfter(raw, Date.now());
    const reading = readAnswer(route.reader, { ...base, body, retryAfterMs }, raw);
    if (reading.ok) return { ok: true, response: { data: reading.data, body, servedAt: isoDate(raw.date), ...base } };
    // People read errors, so remove even a short API key. Then find the error again in the redacted text.
    const shown = { ...base, requestKey: redactor.text(requestKey), body: redactor.text(body), retryAfterMs };
    const location = raw.location === null ? null : redactor.text(raw.location);
    const redacted =
      shown.body === body && location === raw.location
        ? reading
        : readAnswer(route.reader, shown, { ...raw, location });
    const error = redacted.ok ? reading.error : redacted.error;
    return { ok: false, error, retryAfterMs };
  }

  #report(route: Route<unknown>, raw: Answer | Fault, outcome: Outcome<unknown>, attempt: number, ms: number): void {
    const { onAttempt } = this.#options;
    if (onAttempt === undefined) return;
    const name = outcome.ok ? null : outcome.error.name;
    const error = !raw.ok && raw.kind === 'aborted' ? 'AbortError' : name;
    onAttempt({ endpoint: route.endpoint, status: raw.status, ms, bytes: raw.bytes, retry: attempt > 1, error });
  }
}

function isoDate(header: string | null): string | null {
  const at = header === null ? Number.NaN : Date.parse(header);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

function masked(raw: Answer | Fault, mask: (text: string) => string): Answer | Fault {
  if (!raw.ok) return { ...raw, message: mask(raw.message) };
  return { ...raw, text: mask(raw.text), location: raw.location === null ? null : mask(raw.location) };
}

function mayRepeat(route: Route<unknown>, error: ApiError): boolean {
  if (!error.retryable) return false;
  if (route.repeat === 'always') return true;
  return error instanceof LimitError || (error instanceof TransportError && error.unsent);
}

function faultError(fault: Fault, context: ApiErrorContext, redactor: Redactor, timeoutMs: number): ApiError {
  const message = redactor.text(fault.message);
  switch (fault.kind) {
    case 'timeout':
    case 'aborted':
      return new TimeoutError(context, timeoutMs);
    case 'too-large':
      return new BodyError(context, message, false);
    case 'encoding':
      return new BodyError(context, message);
    case 'cut':
      return new BodyError(context, `the body was cut off: ${message}`);
    case 'transport': {
      // An untrusted certificate remains untrusted, so don't retry.
      const untrusted = UNTRUSTED.test(fault.code);
      const retryable = !untrusted && !/^UND_ERR_(CLOSED|DESTROYED|INVALID_ARG|HEADERS_OVERFLOW)/.test(fault.code);
      const words = untrusted ? `${message}. ${TRUST_ADVICE}` : message;
      return new TransportError(context, fault.code, words, { unsent: UNSENT.has(fault.code), retryable });
    }
  }
}
