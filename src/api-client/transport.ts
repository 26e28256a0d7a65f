import { isUtf8 } from 'node:buffer';

import { Pool, type Dispatcher } from 'undici';

import { isFromCache } from '../core/from-cache.js';
import type { PreparedRequest } from './request.js';
import type { RetryHeaders } from './retry.js';

/** Headers of an answer that a sign-in step needs for the next step. */
export interface NextHeaders {
  /** `Location` of a redirect, which the transport does not follow. */
  location: string | null;
  /** Cookies that the answer sets, each as `name=value`. */
  cookies: string[];
}

/** A complete answer with any status. */
export interface Answer extends RetryHeaders, NextHeaders {
  ok: true;
  status: number;
  text: string;
  bytes: number;
  /** Whether a cache answered, so `date` is older than the answer. */
  cached: boolean;
}

/**
 * A request without a usable answer. `cut`: the body ended too early. `encoding`: the body is compressed or not UTF-8.
 */
export interface Fault {
  ok: false;
  kind: 'transport' | 'timeout' | 'cut' | 'too-large' | 'encoding' | 'aborted';
  /** HTTP status; 0 when no headers came. */
  status: number;
  bytes: number;
  code: string;
  message: string;
}

export interface TransportOptions {
  baseUrl: URL;
  headers: Record<string, string>;
  timeoutMs: number;
  maxBodyBytes: number;
}

export interface Transport {
  /** Sends one request once. Never rejects: failures are returned as a Fault. */
  send(request: PreparedRequest, signal: AbortSignal | undefined): Promise<Answer | Fault>;
  /** Resolves when all requests in flight have ended. */
  close(): Promise<void>;
}

/**
 * How long to keep idle connections open, in milliseconds. If the server's header `Keep-Alive` names a shorter time,
 * that time applies.
 */
const KEEP_ALIVE_MS = 30_000;

/** Maximum size of all headers of one answer together, in bytes. */
const MAX_HEADER_BYTES = 16_384;
/** When this many chunks have arrived, join them. Small chunks take far more memory than their bytes. */
const CHUNKS_KEPT = 256;

/**
 * Creates a pool of keep-alive connections to one origin. The pool has no limit, because the concurrency gate already
 * limits the requests in flight.
 */
export function createTransport(options: TransportOptions): Transport {
  const pool = new Pool(options.baseUrl.origin, {
    connections: null,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // Set explicitly, so that the environment variable NODE_TLS_REJECT_UNAUTHORIZED cannot switch off the check.
    connect: { timeout: options.timeoutMs, rejectUnauthorized: true },
    maxHeaderSize: MAX_HEADER_BYTES,
    // Switch off undici's two timers, because each one covers only a part of the request. The timer of Exchange covers
    // the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const prefix = options.baseUrl.pathname.replace(/\/+$/, '');
  return {
    send: async (request, signal) =>
      new Promise((resolve) => {
        const exchange = new Exchange(options, signal, resolve);
        const { method, body } = request;
        const headers = request.headers === null ? options.headers : { ...options.headers, ...request.headers };
        pool.dispatch({ path: prefix + request.path, method, body, headers }, exchange);
      }),
    close: async () => pool.close(),
  };
}

/** One request in flight. Collects the body, checks size and time, and resolves its promise once. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: { timeoutMs: number; maxBodyBytes: number };
  readonly #settle: (outcome: Answer | Fault) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = (): void => this.#give('aborted', 'ABORT_ERR', 'given up by the caller');
  #controller: Dispatcher.DispatchController | null = null;
  #done = false;
  #status = 0;
  #chunks: Buffer[] = [];
  /** Number of chunks in `#chunks` that have arrived since the last join. */
  #loose = 0;
  #bytes = 0;
  #headers: Record<string, string | string[] | undefined> = {};

  constructor(
    limits: { timeoutMs: number; maxBodyBytes: number },
    signal: AbortSignal | undefined,
    settle: (outcome: Answer | Fault) => void,
  ) {
    this.#limits = limits;
    this.#settle = settle;
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#give('timeout', 'ETIMEDOUT', 'too late'), limits.timeoutMs);
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The call was aborted, or ran out of time, before the connection was open.
    if (this.#done) controller.abort(new Error('given up'));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // informational; the final answer follows
    this.#status = status;
    this.#headers = headers;
    const encoding = this.#header('content-encoding');
    // Never decompress a body: a few bytes could become gigabytes.
    if (encoding !== null && encoding !== 'identity') {
      this.#give('encoding', 'ENCODING', `the body is compressed (${encoding}), but the request did not allow that`);
    } else if (Number(this.#header('content-length') ?? 0) > this.#limits.maxBodyBytes) {
      this.#giveTooLarge();
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.maxBodyBytes) return this.#giveTooLarge();
    this.#chunks.push(chunk);
    if (++this.#loose < CHUNKS_KEPT) return;
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-CHUNKS_KEPT)));
    this.#loose = 0;
  }

  onResponseEnd(): void {
    if (this.#done) return;
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#bytes);
    if (!isUtf8(body)) {
      this.#give('encoding', 'ENCODING', 'the body is not UTF-8');
      return;
    }
    this.#finish({
      ok: true,
      status: this.#status,
      text: body.toString('utf8'),
      bytes: this.#bytes,
      retryAfter: this.#header('retry-after'),
      date: this.#header('date'),
      cached: isFromCache((name) => this.#header(name)),
      location: this.#header('location'),
      cookies: [this.#headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';', 1)[0]!.trim()),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const code = (error as NodeJS.ErrnoException).code ?? error.name;
    const kind = this.#status === 0 ? 'transport' : 'cut';
    this.#give(kind, code, error.message === '' ? code : error.message);
  }

  #giveTooLarge(): void {
    this.#give('too-large', 'TOO_LARGE', `the body is larger than ${this.#limits.maxBodyBytes} bytes`);
  }

  #header(name: string): string | null {
    const value = this.#headers[name];
    return (Array.isArray(value) ? value[0] : value) ?? null;
  }

  #give(kind: Fault['kind'], code: string, message: string): void {
    if (this.#done) return;
    this.#finish({ ok: false, kind, status: this.#status, bytes: this.#bytes, code, message });
    this.#controller?.abort(new Error(message));
  }

  #finish(outcome: Answer | Fault): void {
    this.#done = true;
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#chunks = [];
    this.#settle(outcome);
  }
}
