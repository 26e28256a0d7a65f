import type { ValidationItem } from '../../schemas/connector/error.js';
import type { LimitAccess } from '../../schemas/v2/error.js';

/** Facts about a failed call, in every error. Never contain the API key. */
export interface ApiErrorContext {
  /** Route template, for example `GET /v2/companies/{id}`. */
  endpoint: string;
  /** Canonical request, `METHOD /path {sorted json}`. */
  requestKey: string;
  /** HTTP status; 0 when no answer came. */
  status: number;
  /** The whole body as text; '' without a body. */
  body: string;
  /** ISO instant at which the answer was complete or the call failed. */
  fetchedAt: string;
  /** Attempts of this call, the failed attempt included. */
  attempts: number;
  /** Wait in milliseconds that the header `Retry-After` asks for. Null or missing: the answer had no `Retry-After`. */
  retryAfterMs?: number | null;
}

const SNIPPET_LENGTH = 300;
/** Cut messages to this length. Messages go into logs and Temporal histories, and a body may have 32 MiB. */
const PROBLEM_LENGTH = 1_000;

/**
 * Base class of the errors that a call may throw. A call may also throw:
 * - the signal's reason after an abort
 * - ClientClosedError
 * - TypeError or TidemarkError for invalid arguments and options
 *
 * `retryable`: whether the same request may soon succeed. The client has already made all its own retries.
 */
export class ApiError extends Error {
  readonly endpoint: string;
  readonly requestKey: string;
  readonly status: number;
  /** The start of the body, at most 300 characters. */
  readonly snippet: string;
  readonly fetchedAt: string;
  readonly attempts: number;
  readonly retryable: boolean;

  constructor(context: ApiErrorContext, problem: string, retryable: boolean) {
    const status = context.status === 0 ? '' : ` (status ${context.status})`;
    const tries = context.attempts > 1 ? `, ${context.attempts} attempts` : '';
    super(`${context.endpoint}: ${shorten(problem, PROBLEM_LENGTH)}${status}${tries}`);
    this.name = new.target.name;
    this.endpoint = context.endpoint;
    this.requestKey = context.requestKey;
    this.status = context.status;
    this.snippet = shorten(context.body, SNIPPET_LENGTH);
    this.fetchedAt = context.fetchedAt;
    this.attempts = context.attempts;
    this.retryable = retryable;
  }
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

// ---- errors the API reports ----

/**
 * The API refuses the API key: missing, wrong or revoked. Retried at most twice, and only if the API accepted the API
 * key before.
 */
export class TokenVerificationError extends ApiError {
  constructor(context: ApiErrorContext, detail: string) {
    super(context, `the API refuses the key: ${detail}`, false);
  }
}

/**
 * The API rejects this request and will always reject it. `fields` maps each field (dotted when nested) to messages.
 */
export class InvalidRequestError extends ApiError {
  readonly fields: Record<string, string[]>;

  constructor(context: ApiErrorContext, fields: Record<string, string[]>) {
    const said = Object.entries(fields).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
    super(context, `invalid request: ${said.join('; ')}`, false);
    this.fields = fields;
  }
}

/**
 * The connector rejects the request's shape (status 422). `items` is the validation list as received. `fields` maps
 * each place, dotted (`body.year`), to messages.
 */
export class ValidationError extends InvalidRequestError {
  readonly items: ValidationItem[];

  constructor(context: ApiErrorContext, items: ValidationItem[]) {
    const fields: Record<string, string[]> = {};
    for (const { loc, msg } of items) (fields[loc.join('.')] ??= []).push(msg);
    super(context, fields);
    this.items = items;
  }
}

/**
 * A usage limit is reached. `guard` is the API's `error_guard`:
 * - `limits.daily`: the daily limit. Never retried.
 * - `limit`: the rate limit, also used for 429 answers. Retried with fewer requests in flight.
 * - any other guard: never retried.
 */
export class LimitError extends ApiError {
  readonly guard: string;
  /** Permission, module or app that the call needs, as the API names it; null when the API does not say. */
  readonly access: LimitAccess | null;
  /** Wait in milliseconds that the header `Retry-After` asks for; null when the answer had no `Retry-After`. */
  readonly retryAfterMs: number | null;

  constructor(context: ApiErrorContext, guard: string, access: LimitAccess | null, message: string) {
    super(context, `limit reached (${guard}): ${message}`, guard === 'limit');
    this.guard = guard;
    this.access = access;
    this.retryAfterMs = context.retryAfterMs ?? null;
  }
}

/**
 * The requested record does not exist (version 1: IdNotFound). This is an answer to land, not a fault. `body` is the
 * whole text. Always land the answer as 404, because error bodies may come with any `status`.
 */
export class NotFoundError extends ApiError {
  readonly body: string;

  constructor(context: ApiErrorContext, detail: string) {
    super(context, `not found: ${detail}`, false);
    this.body = context.body;
  }
}

/** The API key is valid but lacks a permission (version 1: ProductPermissionDenied). Never retried. */
export class PermissionDeniedError extends ApiError {
  /** Missing permission and module, as the API names them; null when the API does not say. */
  readonly access: LimitAccess | null;

  constructor(context: ApiErrorContext, detail: string, access: LimitAccess | null = null) {
    super(context, `permission denied: ${detail}`, false);
    this.access = access;
  }
}

/** Whether an error is a rate limit (guard `limit`). The same request will succeed later. */
export function isLimit(error: unknown): error is LimitError {
  return error instanceof LimitError && error.guard === 'limit';
}

/** Whether the API key may not use a route: permission denied, or an unknown guard. Waiting does not help. */
export function isRefusal(error: unknown): error is LimitError | PermissionDeniedError {
  if (error instanceof PermissionDeniedError) return true;
  return error instanceof LimitError && error.guard !== 'limit' && error.guard !== 'limits.daily';
}

/** The API reports its own failure (InternalError). Retried. */
export class InternalApiError extends ApiError {
  constructor(context: ApiErrorContext, detail: string) {
    super(context, `the API failed: ${detail}`, true);
  }
}

/** Autocomplete was called with only a country. `messages` come from the API. Never retried. */
export class AutocompleteFieldError extends ApiError {
  readonly messages: string[];

  constructor(context: ApiErrorContext, messages: string[]) {
    super(context, `autocomplete needs an identifying field: ${messages.join(' ')}`, false);
    this.messages = messages;
  }
}

// ---- faults: no usable answer ----

/**
 * No answer: connection refused or reset, unknown name, TLS failure. `code` is Node's or undici's (`ECONNREFUSED`, …).
 */
export class TransportError extends ApiError {
  readonly code: string;
  /** True when the request surely did not reach the API. */
  readonly unsent: boolean;

  constructor(
    context: ApiErrorContext,
    code: string,
    message: string,
    options: { unsent: boolean; retryable: boolean },
  ) {
    super(context, `no answer: ${message}${message.includes(code) ? '' : ` (${code})`}`, options.retryable);
    this.code = code;
    this.unsent = options.unsent;
  }
}

/** The headers and the whole body did not arrive within `timeoutMs`. Retried. */
export class TimeoutError extends ApiError {
  readonly timeoutMs: number;

  constructor(context: ApiErrorContext, timeoutMs: number) {
    super(context, `no complete answer within ${timeoutMs} ms`, true);
    this.timeoutMs = timeoutMs;
  }
}

/**
 * A body that cannot be used. Retried if the body is not JSON (a proxy's page), cut off or not UTF-8. Not retried if
 * the body is too large or nested too deep.
 */
export class BodyError extends ApiError {
  constructor(context: ApiErrorContext, problem: string, retryable = true) {
    super(context, problem, retryable);
  }
}

/** The body is JSON, but neither the documented answer nor a documented error. Retried only for status 408 and 5xx. */
export class ContractError extends ApiError {
  constructor(context: ApiErrorContext, problem: string) {
    super(context, problem, context.status === 408 || context.status >= 500);
  }
}

/** The client closed while this call waited, or before. Not an ApiError, because the API gave no answer. */
export class ClientClosedError extends Error {
  constructor() {
    super('the API client is closed');
    this.name = 'ClientClosedError';
  }
}

/** Result of reading an answer: its data, or the error that the answer contains. */
export type Reading<T> = { ok: true; data: T } | { ok: false; error: ApiError };
