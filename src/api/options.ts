import type { Misfit } from '../../schemas/v2/read-leniently.js';

/** One request that the client sent, as passed to `onAttempt`. */
export interface AttemptReport {
  /** Route template, for example `GET /v2/companies/{id}`. */
  endpoint: string;
  /** HTTP status; 0 when no answer came. */
  status: number;
  /** Milliseconds from sending to the end of the answer. */
  ms: number;
  /** Bytes of the received body. */
  bytes: number;
  /** False for the first attempt of a call, true for each retry. */
  retry: boolean;
  /** Class name of the error; `AbortError` for an aborted call; null for an answer without an error. */
  error: string | null;
}

/** Options of a client. Only `baseUrl` and `apiKey` are required. */
export interface ApiClientOptions {
  /**
   * Address to which the client adds `/v1/finder` and `/v2`, for example `https://api.example.com`. May contain a path.
   * `undefined` is an error, as for `apiKey`.
   */
  baseUrl: string | undefined;
  /** Address to which the client adds the connector's `/api` and `/oauth`. May contain a path. @default baseUrl */
  connectorUrl?: string | undefined;
  /** Whether to send the API key over plain http to other machines. @default false: only to loopback addresses */
  allowHttp?: boolean;
  /**
   * API key. Sent in the header `Authorization: Token …`, or to the connector as `api_key` in the body. Never shown in
   * errors or logs. `undefined` is an error, so `process.env.TIDEMARK_API_KEY` can be passed unchecked.
   */
  apiKey: string | undefined;
  /**
   * Reads the API key again from its source, after the API refused it (401). If it returns another key, the client uses
   * this key from then on, and repeats the refused calls once. @default never
   */
  renewKey?: () => string;
  /** Called when the client uses another key than before. */
  onKeyChange?: (apiKey: string) => void;
  /** Maximum number of requests in flight, over all calls of this client. @default 16 */
  maxConcurrency?: number;
  /**
   * Milliseconds that one request may take, including the body. Waits for a slot and waits between retries do not
   * count.
   * @default 30000
   */
  timeoutMs?: number;
  /** Maximum number of requests started per second, retries included. @default no maximum */
  requestsPerSecond?: number;
  /** Maximum length of a body in bytes. Longer bodies are rejected. @default 32 MiB */
  maxBodyBytes?: number;
  /** Maximum number of retries after the first attempt. @default 5 */
  maxRetries?: number;
  /**
   * Sets the wait before retry n, in milliseconds: a random time between 0 and min(retryCapMs, retryBaseMs × 2^(n−1)).
   * @default 250
   */
  retryBaseMs?: number;
  /** Longest wait between retries, in milliseconds, unless `Retry-After` asks for more. @default 10000 */
  retryCapMs?: number;
  /**
   * Longest `Retry-After` that the client obeys, in milliseconds. If the API asks for more, the client waits only this
   * long. @default 60000
   */
  maxRetryAfterMs?: number;
  /**
   * Whether to send no more data calls after a `limits.daily` answer, until `client.quota.open()` is called.
   * @default false: the client sends each call, and the API answers each one with the limit
   */
  stopAtDailyLimit?: boolean;
  /** Called before every attempt is sent. Must not throw. */
  onSend?: () => void;
  /** Called after every attempt that was sent, including failed attempts. Must not throw. */
  onAttempt?: (attempt: AttemptReport) => void;
  /** Gives the time for `fetchedAt`. @default () => new Date() */
  now?: () => Date;
}

export interface CallOptions {
  /** Aborts the call. The call then rejects with the signal's reason. */
  signal?: AbortSignal;
  /**
   * Masks parts of a text that must not be kept. Applied to the answer's body, the request key and errors; the request
   * itself is sent unchanged. A masked JSON body must still be JSON.
   */
  mask?: (text: string) => string;
}

/** When an answer was made, by the server's clock, and when it was asked for and came, by this machine's clock. */
export interface AnswerTimes {
  /** Header `Date`, as an ISO instant. Null when the answer had none. */
  servedAt: string | null;
  /** Whether a cache answered. Then the server made the answer before it was asked for. */
  cached: boolean;
  sentAt: Date;
  receivedAt: Date;
}

/** Facts about a call. They never contain the API key. */
export interface CallFacts {
  /** Route template, for example `GET /v2/companies/{id}`. */
  endpoint: string;
  /** Canonical request: `METHOD /path {body or query, sorted keys}`. Equal requests have equal keys. */
  requestKey: string;
  /** HTTP status; 0 when no answer came. */
  status: number;
  /** ISO instant at which the whole answer had arrived or the call failed. */
  fetchedAt: string;
  /** Number of attempts of this call, including a failed last one. */
  attempts: number;
}

/** An answer without an error. `data`, `misfits`, `body` and `times` are getters of a class: `{...answer}` lacks them. */
export interface ApiResponse<T> extends CallFacts {
  /**
   * The answer as JSON, with the documented types. Fields that the reference does not name are kept. A value of another
   * type than documented is missing here, and listed in `misfits`. Long records are parsed when this is read.
   * @throws BodyError for a long record that is not JSON
   */
  readonly data: T;
  /** Values that are missing in `data`, or null there, because they do not have their documented type. */
  readonly misfits: readonly Misfit[];
  /** The answer's text as received, except that an API key in the text is replaced by `[redacted]`. */
  readonly body: string;
  /** Returns `body` in UTF-8. */
  bytes(): Uint8Array;
  /** When the answer was made, asked for and received. */
  readonly times: AnswerTimes;
}

/**
 * An answer whose shape the reference does not show. If `fits` is true, `value` has the assumed shape, perhaps with
 * more fields. Otherwise, `value` is the answer as received.
 */
export type Assumed<T> = { fits: true; value: T } | { fits: false; value: unknown };

/** A record with its documented fields. Any of them may be missing, because the API does not always send all. */
export type Documented<T> = { [K in keyof T]?: T[K] | undefined };
