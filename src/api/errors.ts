import type { ValidationItem } from '../../schemas/connector/error.js';
import type { LimitAccess } from '../../schemas/v2/error.js';
import type { CallFacts } from './options.js';

/** Facts about a failed call, which every ApiError receives. */
export interface ApiErrorContext extends CallFacts {
  /** The whole body as text; '' without a body. */
  body: string;
  /** Milliseconds to wait, from the header `Retry-After`. Null or missing if the answer had no such header. */
  retryAfterMs?: number | null;
}

const ACCESS_FIELDS = ['permission', 'permission_name', 'module', 'module_name', 'app', 'app_name'] as const;
const SNIPPET_LENGTH = 300;
/** Longest message, in characters. Messages go into logs and Temporal histories, but a body may have 32 MiB. */
const PROBLEM_LENGTH = 1_000;
/** Most fields that an error names, and most messages of each. */
const MOST_FIELDS = 100;
const MOST_MESSAGES = 10;
/** Longest name that the API gives to a field, limit or permission. */
const NAME_LENGTH = 100;

/**
 * Base class of the errors that a call may throw. A call may also throw:
 * - the signal's reason after an abort
 * - ClientClosedError
 * - TypeError or TidemarkError for invalid arguments and options
 *
 * `retryable` says whether the same request may soon succeed. Before an error is thrown, the client has already made
 * all its retries.
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
  /** Milliseconds to wait, from the header `Retry-After`. Null if the answer had no such header. */
  readonly retryAfterMs: number | null;

  constructor(context: ApiErrorContext, problem: string, retryable = true) {
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
    this.retryAfterMs = context.retryAfterMs ?? null;
  }
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}

// ---- errors that the API reports ----

/**
 * The API refuses the API key, because it is missing, wrong or revoked. The client retries at most twice, and only if
 * the API accepted the API key before.
 */
export class TokenVerificationError extends ApiError {
  constructor(context: ApiErrorContext, detail: string) {
    super(context, `the API refuses the key: ${detail}`, false);
  }
}

/**
 * The API rejects this request and will always reject it. `fields` maps each field to its messages. The name of a
 * nested field is dotted.
 */
export class InvalidRequestError extends ApiError {
  readonly fields: Record<string, string[]>;

  constructor(context: ApiErrorContext, given: Record<string, string[]>) {
    const fields = boundFields(given);
    const said = Object.entries(fields).map(([field, messages]) => `${field}: ${messages.join(' ')}`);
    super(context, `invalid request: ${said.join('; ')}`, false);
    this.fields = fields;
  }
}

/** Keeps the documented fields, each cut to 100 characters. */
function boundAccess(access: LimitAccess): LimitAccess {
  const named = ACCESS_FIELDS.flatMap((field) =>
    typeof access[field] === 'string' ? [[field, access[field].slice(0, NAME_LENGTH)] as const] : [],
  );
  return Object.fromEntries(named);
}

/** Keeps so much of the fields and messages that logs stay readable. */
function boundFields(fields: Record<string, string[]>): Record<string, string[]> {
  const kept = Object.entries(fields).slice(0, MOST_FIELDS);
  return Object.fromEntries(
    kept.map(([field, messages]) => [
      shorten(field, NAME_LENGTH),
      messages.slice(0, MOST_MESSAGES).map((message) => shorten(message, SNIPPET_LENGTH)),
    ]),
  );
}

/**
 * The connector rejects the shape of the request (status 422). `items` is the list of faults as received. `fields` maps
 * each faulty field (dotted, such as `body.year`) to its messages.
 */
export class ValidationError extends InvalidRequestError {
  // Private, because logs write the public fields of an error.
  readonly #items: ValidationItem[];

  constructor(context: ApiErrorContext, items: ValidationItem[]) {
    const fields: Record<string, string[]> = {};
    for (const { loc, msg } of items) (fields[loc.join('.')] ??= []).push(msg);
    super(context, fields);
    this.#items = items;
  }

  get items(): ValidationItem[] {
    return this.#items;
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
  /** What the call needs (a permission, module or app), as the API names it. Null when the API does not say. */
  readonly access: LimitAccess | null;

  constructor(context: ApiErrorContext, guard: string, access: LimitAccess | null, message: string) {
    super(context, `limit reached (${guard}): ${message}`, guard === 'limit');
    this.guard = guard.slice(0, NAME_LENGTH);
    this.access = access && boundAccess(access);
  }
}

/**
 * The requested record does not exist (version 1: IdNotFound). The crawl lands this as an answer and does not count it
 * as a failure. `body` is the whole text. Land it with status 404, because the API may send error bodies with any
 * `status`.
 */
export class NotFoundError extends ApiError {
  // Private, because logs write the public fields of an error.
  readonly #body: string;

  constructor(context: ApiErrorContext, detail: string) {
    super(context, `not found: ${detail}`, false);
    this.#body = context.body;
  }

  get body(): string {
    return this.#body;
  }
}

/** The API key is valid but lacks a permission (version 1: ProductPermissionDenied). Never retried. */
export class PermissionDeniedError extends ApiError {
  /** The missing permission and module, as the API names them. Null when the API does not say. */
  readonly access: LimitAccess | null;

  constructor(context: ApiErrorContext, detail: string, access: LimitAccess | null = null) {
    super(context, `permission denied: ${detail}`, false);
    this.access = access && boundAccess(access);
  }
}

/** Whether an error is a rate limit (guard `limit`). The same request can succeed later. */
export function isLimit(error: unknown): error is LimitError {
  return error instanceof LimitError && error.guard === 'limit';
}

/**
 * Whether the error says that the API key may not use a route: permission denied, or a guard other than `limit` and
 * `limits.daily`. Waiting does not help.
 */
export function isRefusal(error: unknown): error is LimitError | PermissionDeniedError {
  if (error instanceof PermissionDeniedError) return true;
  return error instanceof LimitError && error.guard !== 'limit' && error.guard !== 'limits.daily';
}

/** The API reports that it failed itself (InternalError). Retried. */
export class InternalApiError extends ApiError {
  constructor(context: ApiErrorContext, detail: string) {
    super(context, `the API failed: ${detail}`);
  }
}

/** An autocomplete call named only a country. `messages` come from the API. Never retried. */
export class AutocompleteFieldError extends ApiError {
  readonly messages: string[];

  constructor(context: ApiErrorContext, messages: string[]) {
    super(context, `autocomplete needs an identifying field: ${messages.join(' ')}`, false);
    this.messages = messages.slice(0, MOST_MESSAGES).map((message) => shorten(message, SNIPPET_LENGTH));
  }
}

// ---- faults: the call got no usable answer ----

/**
 * The call got no answer: connection refused or reset, unknown host name, TLS failure. `code` is the error code of Node
 * or undici (`ECONNREFUSED`, …).
 */
export class TransportError extends ApiError {
  /** True when the request surely did not reach the API. */
  readonly unsent: boolean;

  constructor(
    context: ApiErrorContext,
    readonly code: string,
    message: string,
    options: { unsent: boolean; retryable: boolean },
  ) {
    super(context, `no answer: ${message}${message.includes(code) ? '' : ` (${code})`}`, options.retryable);
    this.unsent = options.unsent;
  }
}

/** The headers and the whole body did not arrive within `timeoutMs`. Retried. */
export class TimeoutError extends ApiError {
  constructor(
    context: ApiErrorContext,
    readonly timeoutMs: number,
  ) {
    super(context, `no complete answer within ${timeoutMs} ms`);
  }
}

/**
 * The body of the answer cannot be used. Retried if the body is empty, cut off, not UTF-8, or no JSON at all (such as
 * the page of a proxy). Not retried if the next answer would be the same: the body is malformed JSON, too large or
 * nested too deep. `read-answer.ts` has the rules.
 */
export class BodyError extends ApiError {}

/** Whether the API answered, and would give the same unusable answer again. */
export function isPermanent(error: unknown): error is BodyError | ContractError {
  return (error instanceof BodyError || error instanceof ContractError) && !error.retryable;
}

/**
 * The body is JSON, but has neither the documented shape nor the shape of an error. Retried only for status 408 and
 * 5xx.
 */
export class ContractError extends ApiError {
  constructor(context: ApiErrorContext, problem: string) {
    super(context, problem, context.status === 408 || context.status >= 500);
  }
}

/** The client closed before this call was sent. Not an ApiError, because the API gave no answer. */
export class ClientClosedError extends Error {
  constructor() {
    super('the API client is closed');
    this.name = 'ClientClosedError';
  }
}
