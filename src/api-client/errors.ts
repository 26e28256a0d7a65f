import type { ValidationItem } from '../../schemas/connector/error.js';
import type { LimitAccess } from '../../schemas/v2/error.js';

/** What every error of the client knows about the call that failed. Already free of the API key. */
export interface ApiErrorContext {
  /** Route template, for example `GET /v2/companies/{id}`. */
  endpoint: string;
  /** Canonical request, `METHOD /path {sorted json}`. */
  requestKey: string;
  /** HTTP status; 0 when no answer came. */
  status: number;
  /** The whole body as text; '' when none came. */
  body: string;
  /** ISO instant at which the answer (or its absence) was known. */
  fetchedAt: string;
  /** Attempts sent so far, this one included. */
  attempts: number;
  /** What the answer's `Retry-After` asks for, in milliseconds; null or left out: it had none. */
  retryAfterMs?: number | null;
}

const SNIPPET_LENGTH = 300;
/** A message goes into logs and Temporal histories, where a body of 32 MiB has no place. */
const PROBLEM_LENGTH = 1_000;

/**
 * Base of everything a call of the client throws, but for aborts (those reject with the signal's reason) and wrong
 * options. `retryable` says whether the same request may succeed when sent again soon; the client has by then already
 * tried as often as it may.
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

// ---- what the API says ----

/** The API refuses the key: missing, wrong or withdrawn. Never retried. */
export class TokenVerificationError extends ApiError {
  constructor(context: ApiErrorContext, detail: string) {
    super(context, `the API refuses the key: ${detail}`, false);
  }
}

/** The API refuses this request and will refuse it again: `fields` maps each field (dotted when nested) to messages. */
export class InvalidRequestError extends ApiError {
  readonly fields: Record<string, string[]>;

  constructor(context: ApiErrorContext, fields: Record<string, string[]>) {
    const said = Object.entries(fields).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
    super(context, `invalid request: ${said.join('; ')}`, false);
    this.fields = fields;
  }
}

/**
 * The connector refuses the request's shape (status 422). `items` is its list as it came; `fields` maps each place,
 * dotted (`body.year`), to messages.
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
 * A usage limit is reached. `guard` is the API's `error_guard`: `limits.daily` (nothing more today, never retried),
 * `limit` (too much at once, retried with fewer requests in flight; also used for 429 answers) or another, not retried.
 */
export class LimitError extends ApiError {
  readonly guard: string;
  /** What was used, as the API names it; null where it does not say. */
  readonly access: LimitAccess | null;
  /** What the answer's `Retry-After` asks for, in milliseconds; null where it had none. */
  readonly retryAfterMs: number | null;

  constructor(context: ApiErrorContext, guard: string, access: LimitAccess | null, message: string) {
    super(context, `limit reached (${guard}): ${message}`, guard === 'limit');
    this.guard = guard;
    this.access = access;
    this.retryAfterMs = context.retryAfterMs ?? null;
  }
}

/**
 * The thing asked for is not there (version 1: IdNotFound). An answer, not a fault: `body` is the whole text, so that
 * it can be landed. File it as 404 whatever `status` says: error bodies may come under any status.
 */
export class NotFoundError extends ApiError {
  readonly body: string;

  constructor(context: ApiErrorContext, detail: string) {
    super(context, `not found: ${detail}`, false);
    this.body = context.body;
  }
}

/** The key is good but may not use this (version 1: ProductPermissionDenied). Never retried. */
export class PermissionDeniedError extends ApiError {
  /** The permission and module that are missing, as the API names them; null where it does not say. */
  readonly access: LimitAccess | null;

  constructor(context: ApiErrorContext, detail: string, access: LimitAccess | null = null) {
    super(context, `permission denied: ${detail}`, false);
    this.access = access;
  }
}

/** "Too much for now" (guard `limit`): the same request is answered later. */
export function isLimit(error: unknown): error is LimitError {
  return error instanceof LimitError && error.guard === 'limit';
}

/** Whether the API refuses a route to the key: a permission or module is missing, or a guard says so that no wait lifts. */
export function isRefusal(error: unknown): error is LimitError | PermissionDeniedError {
  if (error instanceof PermissionDeniedError) return true;
  return error instanceof LimitError && error.guard !== 'limit' && error.guard !== 'limits.daily';
}

/** The API says that it failed itself (InternalError). Retried. */
export class InternalApiError extends ApiError {
  constructor(context: ApiErrorContext, detail: string) {
    super(context, `the API failed: ${detail}`, true);
  }
}

/** Autocomplete was asked with nothing but a country. `messages` are the API's. Never retried. */
export class AutocompleteFieldError extends ApiError {
  readonly messages: string[];

  constructor(context: ApiErrorContext, messages: string[]) {
    super(context, `autocomplete needs an identifying field: ${messages.join(' ')}`, false);
    this.messages = messages;
  }
}

// ---- faults: the API said nothing usable ----

/** No answer: refused, reset, name not resolved, TLS refused. `code` is Node's or undici's (`ECONNREFUSED`, …). */
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

/** The whole answer, headers and body, was not there within `timeoutMs`. Retried. */
export class TimeoutError extends ApiError {
  readonly timeoutMs: number;

  constructor(context: ApiErrorContext, timeoutMs: number) {
    super(context, `no complete answer within ${timeoutMs} ms`, true);
    this.timeoutMs = timeoutMs;
  }
}

/** A body that is no JSON (a proxy's page), was cut off, is not UTF-8 (all retried) or is too large (not retried). */
export class BodyError extends ApiError {
  constructor(context: ApiErrorContext, problem: string, retryable = true) {
    super(context, problem, retryable);
  }
}

/** JSON, but neither the documented answer nor a documented error. Retried only when the status is 408 or 5xx. */
export class ContractError extends ApiError {
  constructor(context: ApiErrorContext, problem: string) {
    super(context, problem, context.status === 408 || context.status >= 500);
  }
}

/** The client was closed before or while this call waited. No ApiError: nothing was asked. */
export class ClientClosedError extends Error {
  constructor() {
    super('the API client is closed');
    this.name = 'ClientClosedError';
  }
}
