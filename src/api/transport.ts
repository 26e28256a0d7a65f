import { isUtf8 } from 'node:buffer';

import type { Dispatcher } from 'undici';

import { isLoopback } from '../base/loopback.js';
import { decodeBody, parseCodings, type CodingError } from '../base/network/content-coding.js';
import { connectTo } from '../base/network/connections.js';
import { readServedAt } from '../base/network/http-date.js';
import { findRoute, nameProxy } from '../base/network/proxies.js';
import type { PendingCall, Stage } from './pending-call.js';
import type { PreparedRequest } from './request.js';

/** Headers of an answer, by lower-case name. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** A complete answer with any status. */
export interface Answer {
  ok: true;
  status: number;
  /** The decompressed body: UTF-8. */
  body: Buffer;
  /** Received bytes of the body, before decompression. */
  bytes: number;
  headers: Headers;
  /** When the request was sent and the answer had come, by this machine's clock, in milliseconds since 1970. */
  sentAt: number;
  receivedAt: number;
  /** Proxy that may have made the answer itself; null without one. A proxy cannot do so with https. */
  proxy: string | null;
}

/** Returns the first value of a header; null without one. */
export function headerOf(headers: Headers, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** Returns the time in the header `Date` as an ISO instant. Null without a usable one. */
export function servedAt(headers: Headers): string | null {
  const at = readServedAt(headerOf(headers, 'date'));
  return at === null ? null : new Date(at).toISOString();
}

/**
 * A request without a usable answer.
 * - cut: the body ended too early
 * - encoding: the body cannot be decompressed or is not UTF-8
 * - redirects: the origin redirects without end
 */
export interface Fault {
  ok: false;
  kind: 'transport' | 'timeout' | 'cut' | 'too-large' | 'encoding' | 'redirects' | 'aborted';
  /** HTTP status; 0 when no headers came. */
  status: number;
  bytes: number;
  code: string;
  message: string;
}

export interface TransportOptions {
  baseUrl: URL;
  headers: Record<string, string>;
  /** Limit for one request with its redirects. */
  timeoutMs: number;
  /** Limit for a body as received, and for the decompressed body. */
  maxBodyBytes: number;
}

export type Transport = ReturnType<typeof createTransport>;

/**
 * How long to keep idle connections open, in milliseconds. If the server's header `Keep-Alive` names a shorter time,
 * that time applies.
 */
const KEEP_ALIVE_MS = 30_000;

/** Maximum size of all headers of one answer together, in bytes. */
const MAX_HEADER_BYTES = 16_384;
/** Most informational answers (1xx) before the answer. */
const MOST_INFORMATIONAL = 100;
/** When this many chunks have arrived, join them. Small chunks take far more memory than their bytes. */
const CHUNKS_KEPT = 256;

/** Follow at most this many redirects of one request. */
const MOST_REDIRECTS = 5;

/** Longest time of a timer of Node, in milliseconds. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Creates a pool of keep-alive connections to one origin. The pool has no limit, because the limiter already limits the
 * requests in flight.
 */
export function createTransport(options: TransportOptions) {
  const { timeoutMs, maxBodyBytes } = options;
  const pool = connectTo(options.baseUrl.origin, {
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectMs: timeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Switch off undici's two timers, because each one covers only a part of the request. A deadline covers the whole
    // request.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const { origin, protocol, hostname, pathname } = options.baseUrl;
  const prefix = pathname.replace(/\/+$/, '');
  // Compression costs time on both sides, so do without on this machine.
  const own = isLoopback(hostname) ? options.headers : { ...options.headers, 'accept-encoding': 'gzip' };
  const { proxy } = findRoute(options.baseUrl, process.env);
  const limits = {
    timeoutMs: Math.min(timeoutMs, LONGEST_TIMER_MS),
    maxBodyBytes,
    proxy: proxy === null || protocol === 'https:' ? null : nameProxy(proxy),
  };
  return {
    /**
     * Sends one request once. Never rejects: failures are returned as a Fault.
     * @param key API key for the header `Authorization`; null: no such header
     * @param follow whether to follow redirects within the origin
     */
    send(request: PreparedRequest, key: string | null, call: PendingCall, follow: boolean): Promise<Answer | Fault> {
      const { method, body } = request;
      const headers = { ...own, ...(key !== null && { authorization: `Token ${key}` }), ...request.headers };
      const sent = { origin, path: prefix + request.path, method, body, headers };
      return new Promise((settle) => {
        const exchange = new Exchange(pool, limits, sent, follow, settle);
        call.stage = exchange;
        if (call.signal?.aborted) exchange.abort();
        exchange.dispatch();
      });
    },
    /** Resolves when all requests in flight have ended. */
    close: (): Promise<void> => pool.close(),
  };
}

/** A request as undici sends it. */
type Sent = Dispatcher.DispatchOptions & { origin: string };

/**
 * Returns the path to which a redirect within the origin leads (RFC 9110, 15.4). Returns null if Tidemark does not
 * follow the answer: it is no redirect, or it leads to another origin, which must not get the API key. Pure.
 *
 * The next request keeps method and body. A 303 names the result of the request, so only a GET follows it.
 */
function nextPath({ origin, method, path }: Sent, { status, headers }: Answer): string | null {
  const location = headerOf(headers, 'location');
  if (location === null || ![301, 302, 303, 307, 308].includes(status)) return null;
  if (status === 303 && method !== 'GET') return null;
  const here = `${origin}${path}`;
  if (!URL.canParse(location, here)) return null;
  const target = new URL(location, here);
  return target.origin === origin ? target.pathname + target.search : null;
}

/** One request in flight, with its redirects. Collects the body, checks size and time, and settles once. */
class Exchange implements Dispatcher.DispatchHandler, Stage {
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #done = false;
  #redirects = 0;
  #status = 0;
  #informational = 0;
  #chunks: Buffer[] = [];
  /** Number of chunks in `#chunks` that have arrived since the last join. */
  #loose = 0;
  #bytes = 0;
  #headers: Headers = {};
  readonly #sentAt = Date.now();

  constructor(
    private readonly pool: Dispatcher,
    private readonly limits: { timeoutMs: number; maxBodyBytes: number; proxy: string | null },
    private readonly sent: Sent,
    private readonly follow: boolean,
    private readonly settle: (outcome: Answer | Fault) => void,
  ) {
    this.#timer = setTimeout(() => this.#give('timeout', 'ETIMEDOUT', 'too late'), limits.timeoutMs);
  }

  dispatch(): void {
    if (!this.#done) this.pool.dispatch(this.sent, this);
  }

  abort(): void {
    this.#give('aborted', 'ABORT_ERR', 'given up by the caller');
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The call was aborted, or ran out of time, before the connection was open.
    if (this.#done) controller.abort(new Error('given up'));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    if (status < 200) {
      // Informational; the final answer follows.
      if (++this.#informational > MOST_INFORMATIONAL)
        this.#give('transport', 'INFORMATIONAL', `more than ${MOST_INFORMATIONAL} informational answers`);
      return;
    }
    this.#status = status;
    this.#headers = headers;
    if (Number(headerOf(headers, 'content-length') ?? 0) > this.limits.maxBodyBytes) this.#giveTooLarge();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#done) return;
    this.#bytes += chunk.length;
    if (this.#bytes > this.limits.maxBodyBytes) return this.#giveTooLarge();
    this.#chunks.push(chunk);
    if (++this.#loose < CHUNKS_KEPT) return;
    this.#chunks.push(Buffer.concat(this.#chunks.splice(-CHUNKS_KEPT)));
    this.#loose = 0;
  }

  onResponseEnd(): void {
    if (this.#done) return;
    const [first] = this.#chunks;
    let body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#bytes);
    const coding = this.#headers['content-encoding'];
    try {
      if (coding !== undefined) body = decodeBody(body, parseCodings(coding), this.limits.maxBodyBytes);
    } catch (error) {
      const { kind, message } = error as CodingError;
      return this.#give(kind === 'unreadable' ? 'encoding' : kind, 'ENCODING', message);
    }
    if (!isUtf8(body)) {
      const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(headerOf(this.#headers, 'content-type') ?? '')?.[1];
      const declared = charset === undefined ? '' : ` (it is declared as ${charset})`;
      return this.#give('encoding', 'ENCODING', `the body is not UTF-8${declared}`);
    }
    const answer: Answer = {
      ok: true,
      status: this.#status,
      body,
      bytes: this.#bytes,
      headers: this.#headers,
      sentAt: this.#sentAt,
      receivedAt: Date.now(),
      proxy: this.limits.proxy,
    };
    const next = this.follow ? nextPath(this.sent, answer) : null;
    if (next === null) return this.#finish(answer);
    if (this.#redirects++ === MOST_REDIRECTS)
      return this.#give(
        'redirects',
        'REDIRECTS',
        `the API redirects more than ${MOST_REDIRECTS} times, last to ${next}`,
      );
    this.sent.path = next;
    this.#chunks = [];
    this.#status = this.#bytes = this.#loose = 0;
    // The connection is free again after this answer has been read.
    queueMicrotask(() => this.dispatch());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const code = (error as NodeJS.ErrnoException).code ?? error.name;
    const kind = this.#status === 0 ? 'transport' : 'cut';
    this.#give(kind, code, error.message === '' ? code : error.message);
  }

  #giveTooLarge(): void {
    this.#give('too-large', 'TOO_LARGE', `the body is larger than ${this.limits.maxBodyBytes} bytes`);
  }

  #give(kind: Fault['kind'], code: string, message: string): void {
    if (this.#done) return;
    this.#finish({ ok: false, kind, status: this.#status, bytes: this.#bytes, code, message });
    this.#controller?.abort(new Error(message));
  }

  #finish(outcome: Answer | Fault): void {
    this.#done = true;
    this.#chunks = [];
    clearTimeout(this.#timer);
    this.settle(outcome);
  }
}
