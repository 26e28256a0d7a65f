/** One attempt that was sent, as passed to `onAttempt`. */
export interface AttemptReport {
  /** Route template, for example `GET /v2/companies/{id}`. */
  endpoint: string;
  /** HTTP status; 0 when no answer came. */
  status: number;
  /** Milliseconds from sending to the end of the answer. */
  ms: number;
  /** Bytes of the body received. */
  bytes: number;
  /** True when this attempt repeats an earlier one of the same call. */
  retry: boolean;
  /** Name of the answer's error class; `AbortError` for an aborted call; null for a good answer. */
  error: string | null;
}

/** Options of a client; only `baseUrl` and `apiKey` are required. */
export interface ApiClientOptions {
  /** Address above `/v1/finder` and `/v2`, for example `https://api.example.com`; may have a path. */
  baseUrl: string;
  /** Address above the connector's `/api` and `/oauth`; may have a path. @default baseUrl */
  connectorUrl?: string | undefined;
  /** Whether to send the key over plain http to other machines. @default false: only to loopback addresses */
  allowHttp?: boolean;
  /** Sent as `Authorization: Token …`; to the connector as `api_key` in the body. Never shown in errors or logs. */
  apiKey: string;
  /** Maximum of requests in flight, over all calls of this client. @default 16 */
  maxConcurrency?: number;
  /**
   * Milliseconds that one request may take, body included. Waits for a slot and between retries are not counted.
   * @default 30000
   */
  timeoutMs?: number;
  /** Requests started per second at most, retries included. @default no pacing */
  requestsPerSecond?: number;
  /** A longer body is refused. @default 32 MiB */
  maxBodyBytes?: number;
  /** Retries after the first attempt. @default 5 */
  maxRetries?: number;
  /** Wait before retry n: random between 0 and min(retryCapMs, retryBaseMs × 2^(n−1)). @default 250 */
  retryBaseMs?: number;
  /** Longest wait between retries, in milliseconds, unless `Retry-After` asks for more. @default 10000 */
  retryCapMs?: number;
  /** Longest `Retry-After` to obey, in milliseconds; longer waits are cut. @default 60000 */
  maxRetryAfterMs?: number;
  /**
   * Whether to stop sending data calls after the API answered `limits.daily`, until `client.quota.open()`.
   * @default false: each call is sent and receives the limit itself
   */
  stopAtDailyLimit?: boolean;
  /** Called for every attempt sent, failed ones included. Must not throw. */
  onAttempt?: (attempt: AttemptReport) => void;
  /** The clock of `fetchedAt`. @default () => new Date() */
  now?: () => Date;
}

export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** A good answer. */
export interface ApiResponse<T> {
  data: T;
  status: number;
  /** The answer's text as received; an API key in it is replaced by `[redacted]`. */
  body: string;
  /** ISO instant at which the answer was complete. */
  fetchedAt: string;
  /** The server's clock (header `Date`) as an ISO instant; null when the answer had none. */
  servedAt: string | null;
  /**
   * Canonical request: `METHOD /path {body or query, sorted keys}`. Equal requests have equal keys. Holds no API key.
   */
  requestKey: string;
  /** Number of attempts that this call took. */
  attempts: number;
  /** Route template, for example `GET /v2/companies/{id}`. */
  endpoint: string;
}

/**
 * An answer whose shape the reference does not show. `fits` true: `value` has the assumed shape and may have more
 * fields. `fits` false: `value` is the answer as received.
 */
export type Assumed<T> = { fits: true; value: T } | { fits: false; value: unknown };

/**
 * A record whose fields are documented but not checked: it is only known to be a JSON object. The reader must check the
 * values, with the record's schema or in SQL.
 */
export type Unchecked<T> = { [K in keyof T]?: unknown };
