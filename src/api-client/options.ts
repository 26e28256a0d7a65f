/** One attempt that was sent, as told to `onAttempt`. */
export interface AttemptReport {
  /** Route template, for example `GET /v2/companies/{id}`. */
  endpoint: string;
  /** HTTP status; 0 when no answer came. */
  status: number;
  /** Time from sending to the end of the answer. */
  ms: number;
  /** Bytes of the body received. */
  bytes: number;
  /** True when this attempt repeats an earlier one of the same call. */
  retry: boolean;
  /** Name of the error class the answer was told to be; `AbortError` for a call given up by its caller; null: good. */
  error: string | null;
}

export interface ApiClientOptions {
  /** Where `/v1/finder` and `/v2` hang off, for example `https://api.example.com`; may have a path. */
  baseUrl: string;
  /** Where the connector's `/api` and `/oauth` hang off; may have a path. @default baseUrl */
  connectorUrl?: string | undefined;
  /** Whether the key may go over plain http to another machine. @default false: to loopback addresses only */
  allowHttp?: boolean;
  /** Sent as `Authorization: Token …`, to the connector as `api_key` in the body instead; shown nowhere. */
  apiKey: string;
  /** Requests in flight, over all calls of this client. @default 16 */
  maxConcurrency?: number;
  /** Time one request may take, body included; waits for a free slot and between retries come on top. @default 30000 */
  timeoutMs?: number;
  /** Requests started per second at most, retries included. @default no pacing */
  requestsPerSecond?: number;
  /** A longer body is refused. @default 32 MiB */
  maxBodyBytes?: number;
  /** How often a fault is tried again after the first attempt. @default 5 */
  maxRetries?: number;
  /** Wait before retry n: random between 0 and min(retryCapMs, retryBaseMs × 2^(n−1)). @default 250 */
  retryBaseMs?: number;
  /** @default 10000 */
  retryCapMs?: number;
  /** Longest `Retry-After` that is obeyed in full. @default 60000 */
  maxRetryAfterMs?: number;
  /**
   * Send no data call any more once the API said `limits.daily`, until `client.quota.open()`. Default false: each call
   * asks, and hears it.
   */
  stopAtDailyLimit?: boolean;
  /** Called for every attempt sent, failed ones included. Must not throw. */
  onAttempt?: (attempt: AttemptReport) => void;
  /** The clock of `fetchedAt`. @default () => new Date() */
  now?: () => Date;
}

export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A good answer. */
export interface ApiResponse<T> {
  data: T;
  status: number;
  /** Exactly what the API said (as text; were the API key in it, it would read `[redacted]`). */
  body: string;
  /** ISO instant at which the answer was complete. */
  fetchedAt: string;
  /** The server's own clock (header `Date`), as an ISO instant; null where it said none. */
  servedAt: string | null;
  /** Canonical request: `METHOD /path {body or query, sorted keys}`. Same for the same question, holds no key. */
  requestKey: string;
  /** Attempts this call took. */
  attempts: number;
  /** Route template, for example `GET /v2/companies/{id}`. */
  endpoint: string;
}

/**
 * An answer whose shape the reference does not show. `fits`: it has the shape assumed (unknown fields are kept);
 * otherwise `value` is whatever came.
 */
export type Assumed<T> = { fits: true; value: T } | { fits: false; value: unknown };

/**
 * A record as documented, of which only "it is a JSON object" was checked: the fields are there to be named, their
 * values are for the reader to check (with the record's schema, or in SQL).
 */
export type Unchecked<T> = { [K in keyof T]?: unknown };
