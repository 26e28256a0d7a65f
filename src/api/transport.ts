import { isUtf8 } from 'node:buffer';

import type { Dispatcher } from 'undici';

import { joinSignal, leaveSignal, type Abortable } from './abortable.js';
import { isFromCache } from '../base/network/from-cache.js';
import { isLoopback } from '../base/loopback.js';
import { decodeBody, parseCodings, type CodingError } from '../base/network/content-coding.js';
import { connectTo } from '../base/network/connections.js';
import { findRoute, nameProxy } from '../base/network/proxies.js';
import { MOST_REDIRECTS, nextRequest } from './redirect.js';
import type { PreparedRequest } from './request.js';
import type { RetryHeaders } from './retry.js';

/** Headers of an answer that a sign-in step needs for the next step. */
export interface NextHeaders {
  /** `Location` of a redirect that the transport did not follow. */
  location: string | null;
  /** Cookies that the answer sets, each as `name=value`. */
  cookies: string[];
  /** Proxy that may have made the answer itself; null without one. A proxy cannot do so with https. */
  proxy: string | null;
}

/** A complete answer with any status. */
export interface Answer extends RetryHeaders, NextHeaders {
  ok: true;
  status: number;
  text: string;
  /** Received bytes of the body, before decompression. */
  bytes: number;
  /** Whether a cache answered, so `date` is older than the answer. */
  cached: boolean;
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

export interface Transport {
  /**
   * Sends one request once. Never rejects: failures are returned as a Fault.
   * @param follow whether to follow redirects within the origin
   */
  send(request: PreparedRequest, signal: AbortSignal | undefined, follow: boolean): Promise<Answer | Fault>;
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
/** Most informational answers (1xx) before the answer. */
const MOST_INFORMATIONAL = 100;
/** When this many chunks have arrived, join them. Small chunks take far more memory than their bytes. */
const CHUNKS_KEPT = 256;

/**
 * Creates a pool of keep-alive connections to one origin. The pool has no limit, because the limiter already limits the
 * requests in flight.
 */
export function createTransport(options: TransportOptions): Transport {
  const pool = connectTo(options.baseUrl.origin, {
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectMs: options.timeoutMs,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Switch off undici's two timers, because each one covers only a part of the request. The timer of Exchange covers
    // the whole request.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  const { origin, protocol, hostname, pathname } = options.baseUrl;
  const prefix = pathname.replace(/\/+$/, '');
  // Compression costs time on both sides, so do without on this machine.
  const own = isLoopback(hostname) ? options.headers : { ...options.headers, 'accept-encoding': 'gzip' };
  const { proxy } = findRoute(options.baseUrl, process.env);
  const via = proxy === null || protocol === 'https:' ? null : nameProxy(proxy);
  const exchange = async (
    { method, path, body, headers }: Omit<PreparedRequest, 'key'>,
    signal: AbortSignal | undefined,
    timeoutMs: number,
  ): Promise<Answer | Fault> =>
    new Promise((resolve) => {
      const limits = { timeoutMs, maxBodyBytes: options.maxBodyBytes, proxy: via };
      const handler = new Exchange(limits, signal, resolve);
      pool.dispatch({ origin, path, method, body, headers: headers === null ? own : { ...own, ...headers } }, handler);
    });
  return {
    async send(request, signal, follow) {
      const begun = performance.now();
      let sent = { ...request, path: prefix + request.path };
      let answer = await exchange(sent, signal, options.timeoutMs);
      if (!follow) return answer;
      for (let redirects = 0; answer.ok; redirects++) {
        const next = nextRequest(origin, sent, answer);
        if (next === null) return answer;
        if (redirects === MOST_REDIRECTS) return endlessRedirects(answer);
        sent = next;
        answer = await exchange(sent, signal, Math.max(1, options.timeoutMs - (performance.now() - begun)));
      }
      return answer;
    },
    close: async () => pool.close(),
  };
}

function endlessRedirects({ status, bytes, location }: Answer): Fault {
  const message = `the API redirects more than ${MOST_REDIRECTS} times, last to ${location ?? ''}`;
  return { ok: false, kind: 'redirects', status, bytes, code: 'REDIRECTS', message };
}

interface Limits {
  timeoutMs: number;
  maxBodyBytes: number;
  proxy: string | null;
}

/** One request in flight. Collects the body, checks size and time, and resolves its promise once. */
class Exchange implements Dispatcher.DispatchHandler, Abortable {
  readonly #limits: Limits;
  readonly #settle: (outcome: Answer | Fault) => void;
  readonly #signal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | null = null;
  #done = false;
  #status = 0;
  #informational = 0;
  #chunks: Buffer[] = [];
  /** Number of chunks in `#chunks` that have arrived since the last join. */
  #loose = 0;
  #bytes = 0;
  #headers: Record<string, string | string[] | undefined> = {};
  #codings: readonly string[] = [];

  constructor(limits: Limits, signal: AbortSignal | undefined, settle: (outcome: Answer | Fault) => void) {
    this.#limits = limits;
    this.#settle = settle;
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#give('timeout', 'ETIMEDOUT', 'too late'), limits.timeoutMs);
    joinSignal(signal, this);
  }

  abort(): void {
    this.#give('aborted', 'ABORT_ERR', 'given up by the caller');
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
    if (status < 200) {
      // Informational; the final answer follows.
      if (++this.#informational > MOST_INFORMATIONAL)
        this.#give('transport', 'INFORMATIONAL', `more than ${MOST_INFORMATIONAL} informational answers`);
      return;
    }
    this.#status = status;
    this.#headers = headers;
    const coding = headers['content-encoding'];
    if (coding !== undefined) {
      try {
        this.#codings = parseCodings(coding);
      } catch (error) {
        return this.#giveUndecodable(error);
      }
    }
    if (Number(this.#header('content-length') ?? 0) > this.#limits.maxBodyBytes) this.#giveTooLarge();
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
    let body = this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#bytes);
    if (this.#codings.length > 0) {
      try {
        body = decodeBody(body, this.#codings, this.#limits.maxBodyBytes);
      } catch (error) {
        return this.#giveUndecodable(error);
      }
    }
    if (!isUtf8(body)) {
      const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(this.#header('content-type') ?? '')?.[1];
      const declared = charset === undefined ? '' : ` (it is declared as ${charset})`;
      this.#give('encoding', 'ENCODING', `the body is not UTF-8${declared}`);
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
      proxy: this.#limits.proxy,
      cookies: [this.#headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';', 1)[0]!.trim()),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const code = (error as NodeJS.ErrnoException).code ?? error.name;
    const kind = this.#status === 0 ? 'transport' : 'cut';
    this.#give(kind, code, error.message === '' ? code : error.message);
  }

  #giveUndecodable(error: unknown): void {
    const { kind, message } = error as CodingError;
    this.#give(kind === 'unreadable' ? 'encoding' : kind, 'ENCODING', message);
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
    leaveSignal(this.#signal, this);
    this.#chunks = [];
    this.#settle(outcome);
  }
}
