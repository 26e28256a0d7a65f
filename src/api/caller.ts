import {
  ApiError,
  BodyError,
  ContractError,
  isLimit,
  LimitError,
  TimeoutError,
  TokenVerificationError,
  TransportError,
  type ApiErrorContext,
} from './errors.js';
import type { HeldKey } from './held-key.js';
import { NOT_SENT, type Limiter } from './limiter.js';
import type { ApiClientOptions, ApiResponse, CallFacts, CallOptions } from './options.js';
import { PendingCall } from './pending-call.js';
import { LazyResponse } from './response.js';
import type { Route } from './route.js';
import type { Redactor } from '../base/text/redact.js';
import { prepareRequest, type PreparedRequest, type RequestParts } from './request.js';
import { parseRetryAfter, retryDelay, type RetryPolicy } from './retry.js';
import { looksWhole } from './looks-whole.js';
import { headerOf, type Answer, type Fault, type Transport } from './transport.js';

/** Options of a caller, shared by all routes of one client. */
export interface CallerOptions extends Required<Pick<ApiClientOptions, 'stopAtDailyLimit' | 'timeoutMs' | 'now'>> {
  transport: Transport;
  /** The API key for the header `Authorization`; null: the requests have no such header. */
  held?: HeldKey | null;
  redactor: Redactor;
  limiter: Limiter;
  retry: RetryPolicy;
  onSend: ApiClientOptions['onSend'];
  onAttempt: ApiClientOptions['onAttempt'];
}

/** Error codes that prove: no byte of the request reached the API. */
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

/** Matches the error codes of Node and OpenSSL for a certificate that is not trusted. */
const UNTRUSTED = /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_/;
const TRUST_ADVICE =
  'The certificate is not trusted and nothing was sent. For your own certificate authority, set NODE_EXTRA_CA_CERTS to its PEM file';

// If the API refuses an API key that it accepted earlier, retry at most this often. A single refusal may be the API's
// mistake.
const REFUSALS_DOUBTED = 2;
// If the API has answered only `limit` for this many milliseconds, retry a call only once. Then the caller of the
// client decides how long to wait. More retries here would take minutes.
const LIMIT_BELIEVED_MS = 10_000;

/** The only route that the API still answers after the daily limit. Its requests use no quota. */
const FREE = 'GET /v2/metrics';

/**
 * Creates the function of an endpoint, from its route and a function that makes the request from the arguments. The
 * options of the call follow the arguments.
 *
 * The number of parameters of `partsOf` says which argument the options are, so none of them may have a default value.
 */
export type CreateEndpoint = <T, Ask extends unknown[] = []>(
  route: Route<T>,
  partsOf?: (...ask: Ask) => RequestParts,
) => (...ask: [...Ask, call?: CallOptions]) => Promise<ApiResponse<T>>;

/** Sends calls when the limiter lets them, retries failed requests, and turns each answer into data or an ApiError. */
export class Caller {
  readonly #options: CallerOptions;
  #keyAccepted = false;

  constructor(options: CallerOptions) {
    this.#options = options;
  }

  readonly endpoint: CreateEndpoint = (route, partsOf = () => ({})) => {
    const place = partsOf.length;
    return (...ask: unknown[]) => this.call(route, partsOf(...(ask as never)), ask[place] as CallOptions);
  };

  /**
   * Makes one call, with retries.
   * @throws ApiError when the call failed; ClientClosedError when the client closed; the signal's reason when the
   * signal aborted
   */
  async call<T>(route: Route<T>, parts: RequestParts, options: CallOptions = {}): Promise<ApiResponse<T>> {
    const { retry, limiter, held, transport, onSend, onAttempt } = this.#options;
    const request = prepareRequest(route.endpoint, parts);
    if (options.mask !== undefined) request.key = options.mask(request.key);
    const call = new PendingCall(options.signal);
    try {
      for (let attempt = 1, renewed = false; ; attempt++) {
        // A call waits only for what is not there yet: each promise costs time.
        const turn = limiter.acquire(route.endpoint === FREE, call);
        const ticket = typeof turn === 'number' ? turn : await turn;
        if (ticket === NOT_SENT) throw this.#unsent(route, request, attempt - 1);
        const key = held?.key ?? null;
        let outcome: LazyResponse<T> | ApiError;
        try {
          onSend?.();
          const started = performance.now();
          const sent = await transport.send(request, key, call, !route.isScreen);
          const ms = performance.now() - started;
          outcome = this.#read(route, request, sent, attempt, options.mask);
          const isAborted = !sent.ok && sent.kind === 'aborted';
          const error = isAborted ? 'AbortError' : outcome instanceof ApiError ? outcome.name : null;
          const { status, bytes } = sent;
          onAttempt?.({ endpoint: route.endpoint, status, ms, bytes, retry: attempt > 1, error });
          if (isAborted) throw options.signal?.reason;
          this.#learn(outcome, ticket);
        } finally {
          limiter.release();
        }
        if (!(outcome instanceof ApiError)) return outcome;
        if (outcome instanceof TokenVerificationError && held && key !== null) {
          // A refused request did nothing, so it may be repeated on every route.
          if (!renewed && held.renew(key)) {
            renewed = true;
            continue;
          }
          outcome.message = [outcome.message, held.describe()].filter((part) => part !== '').join('. ');
        }
        if (attempt > this.#repeats(route, outcome)) throw outcome;
        await limiter.pause(retryDelay(retry, attempt, outcome.retryAfterMs, Math.random()), call.signal);
      }
    } finally {
      call.end();
    }
  }

  /** Returns the maximum number of retries of a call whose last attempt failed with this error. */
  #repeats(route: Route<unknown>, error: ApiError): number {
    const { retry, limiter } = this.#options;
    const { maxRetries } = retry;
    if (error instanceof TokenVerificationError && this.#keyAccepted && route.repeat === 'always')
      return Math.min(REFUSALS_DOUBTED, maxRetries);
    if (isLimit(error) && limiter.allowance.limitedMs(performance.now()) > LIMIT_BELIEVED_MS)
      return Math.min(1, maxRetries);
    const mayHaveActed = !(error instanceof LimitError || (error instanceof TransportError && error.unsent));
    if (!error.retryable || (mayHaveActed && route.repeat === 'unsent')) return 0;
    return maxRetries;
  }

  /** Tells the limiter what an answer says about the limits. */
  #learn(outcome: ApiResponse<unknown> | ApiError, ticket: number): void {
    const { limiter, stopAtDailyLimit, retry } = this.#options;
    const now = performance.now();
    if (!(outcome instanceof ApiError)) {
      this.#keyAccepted = true;
      limiter.allowance.accepted(now);
    } else if (isLimit(outcome)) {
      limiter.allowance.limited(ticket, now, Math.min(outcome.retryAfterMs ?? 0, retry.maxRetryAfterMs));
    } else if (stopAtDailyLimit && outcome instanceof LimitError && outcome.guard === 'limits.daily') {
      limiter.stop(outcome.message);
    }
  }

  /** Makes the error of a call that is not sent because of the daily limit. */
  #unsent(route: Route<unknown>, request: PreparedRequest, attempts: number): LimitError {
    const { redactor, limiter } = this.#options;
    const context = { ...this.#facts(route, request, 0, attempts), requestKey: redactor.text(request.key), body: '' };
    const message = `not sent, because the API said before: ${limiter.dailyLimit}`;
    return new LimitError(context, 'limits.daily', null, message);
  }

  #facts({ endpoint }: Route<unknown>, { key }: PreparedRequest, status: number, attempts: number): CallFacts {
    const { redactor, now } = this.#options;
    return { endpoint, requestKey: redactor.data(key), status, fetchedAt: now().toISOString(), attempts };
  }

  #read<T>(
    route: Route<T>,
    request: PreparedRequest,
    raw: Answer | Fault,
    attempts: number,
    mask: CallOptions['mask'],
  ): LazyResponse<T> | ApiError {
    const { redactor, timeoutMs } = this.#options;
    const facts = this.#facts(route, request, raw.status, attempts);
    const shown = (text: string): string => redactor.text(mask === undefined ? text : mask(text));
    if (!raw.ok) {
      const context = { ...facts, requestKey: redactor.text(facts.requestKey), body: '' };
      return faultError(raw, context, shown(raw.message), timeoutMs);
    }
    const body = withoutMark(raw.body);
    raw.body = redactor.bytes(mask === undefined ? body : Buffer.from(mask(body.toString())));
    const location = headerOf(raw.headers, 'location');
    if (mask !== undefined && location !== null) raw.headers = { ...raw.headers, location: mask(location) };
    const response = new LazyResponse(route, facts, raw);
    if (route.isLazy && looksWhole(raw.status, raw.body)) return response;
    const reading = response.read();
    if (!(reading instanceof ApiError)) return response;
    // `redactor.data` does not remove a short API key. People read errors, so remove such a key, too. Then read the
    // error again from the redacted text.
    const headers = location === null ? raw.headers : { ...raw.headers, location: shown(location) };
    const context = {
      ...facts,
      requestKey: redactor.text(facts.requestKey),
      body: hideInError(response.body, redactor),
      retryAfterMs: parseRetryAfter(raw.headers, Date.now()),
    };
    const error = route.read(context, { ...raw, headers });
    return error instanceof ApiError ? error : reading;
  }
}

/** Removes a byte order mark. */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;
}

/** Redacts the body of an error. The texts of a JSON error are shown without its escapes, so searches there, too. */
function hideInError(body: string, redactor: Pick<Redactor, 'text'>): string {
  const plain = resolveEscapes(body);
  const hidden = redactor.text(plain);
  return hidden === plain ? redactor.text(body) : hidden;
}

function resolveEscapes(body: string): string {
  if (!body.includes(String.raw`\u00`)) return body;
  try {
    return JSON.stringify(JSON.parse(body));
  } catch {
    return body;
  }
}

function faultError(fault: Fault, context: ApiErrorContext, message: string, timeoutMs: number): ApiError {
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
    case 'redirects':
      return new ContractError(context, message);
    case 'transport': {
      // Don't retry: the certificate will not become trusted.
      const untrusted = UNTRUSTED.test(fault.code);
      const retryable =
        !untrusted && !/^(UND_ERR_(CLOSED|DESTROYED|INVALID_ARG|HEADERS_OVERFLOW)|PROXY_4)/.test(fault.code);
      const unsent = UNSENT.has(fault.code) || fault.code.startsWith('PROXY_');
      const words = untrusted ? `${message}. ${TRUST_ADVICE}` : message;
      return new TransportError(context, fault.code, words, { unsent, retryable });
    }
  }
}
