import type { z } from 'zod';

import { isBlank, reshape } from '../../schemas/v2/empty-shapes.js';
import { readLeniently } from '../../schemas/v2/read-leniently.js';
import { ExcessError } from '../base/json/json-bounds.js';
import { describeJsonFault, findJsonFault } from '../base/json/json-fault.js';
import { readJson } from '../base/json/json-nodes.js';
import { findError } from './classify.js';
import { readScreen } from './connector-screen.js';
import {
  BodyError,
  ContractError,
  LimitError,
  PermissionDeniedError,
  type ApiError,
  type ApiErrorContext,
  type Reading,
} from './errors.js';
import type { Route } from './route.js';
import { headerOf, type Answer } from './transport.js';

/** Where an answer came from. */
type Origin = Pick<Answer, 'headers' | 'proxy'>;

/**
 * Reads a complete answer. Returns its data, or the error that its body describes. If the body describes no error, the
 * status decides which error it is.
 */
export function readAnswer<T>(route: Route<T>, context: ApiErrorContext, origin: Origin): Reading<T> {
  if (route.kind === 'screen') return readScreen(context, origin) as Reading<T>;
  const success = context.status >= 200 && context.status < 300;
  const isEmpty = context.body.trim() === '';
  if (success && route.kind === 'maybe' && isEmpty) return content(null as T);
  // 204 and 205 say that there is no content. With any other status, an empty body may be a fault of the server.
  if (isEmpty && (context.status === 204 || context.status === 205)) return readSuccess(route, null, context);
  let json: unknown;
  try {
    json = readJson(context.body);
  } catch (error) {
    if (error instanceof ExcessError)
      return { ok: false, error: new BodyError(context, `the body ${error.message}`, false) };
    return { ok: false, error: describeNoJson(context, origin) };
  }
  if (!success) {
    const error = findError(json, context, false) ?? errorByStatus(context, origin);
    return { ok: false, error };
  }
  return readSuccess(route, json, context);
}

function readSuccess<T>(route: Route<T>, json: unknown, context: ApiErrorContext): Reading<T> {
  if (route.kind === 'page' && route.schema !== undefined) {
    const checked = route.schema.safeParse(reshape(route.schema, json));
    if (checked.success) return checkedContent(route.schema, checked.data, json);
    // The API may send an error body with status 200.
    const named = findError(json, context, false);
    return { ok: false, error: named ?? new ContractError(context, describeMisfit(checked.error)) };
  }
  const named = findError(json, context, route.kind !== 'record');
  if (named !== null) return { ok: false, error: named };
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  if (route.kind === 'record' && !isObject && !isBlank(json)) {
    return { ok: false, error: new ContractError(context, `expected a JSON object, got ${nameKind(json)}`) };
  }
  if (route.kind === 'record' && route.schema !== undefined) return lenientContent(route.schema, json);
  return content(route.view === undefined ? (json as T) : route.view(json));
}

function content<T>(data: T): Reading<T> {
  return { ok: true, data: () => data, misfits: () => [] };
}

function checkedContent<T>(schema: z.ZodType<T>, data: T, json: unknown): Reading<T> {
  return { ok: true, data: () => data, misfits: once(() => readLeniently(schema, json).misfits) };
}

/**
 * Checks the values of an answer only when the caller reads them. The pipeline does not read them: it lands the text of
 * the answer.
 */
function lenientContent<T>(schema: z.ZodType<T>, json: unknown): Reading<T> {
  const read = once(() => {
    if (schema.safeParse(json).success) return { value: json as T, misfits: [] };
    const reading = readLeniently(schema, json);
    return { value: reading.fits ? reading.value : ({} as T), misfits: reading.misfits };
  });
  return { ok: true, data: () => read().value, misfits: () => read().misfits };
}

/** Returns a function that computes a value on its first call, and remembers it. */
export function once<T>(compute: () => T): () => T {
  let known: { value: T } | undefined;
  return () => (known ??= { value: compute() }).value;
}

/**
 * Makes the error for a body that is no JSON. Which bodies are requested again:
 *
 * | body | cause | again |
 * | --- | --- | --- |
 * | empty (not 204, 205) | the server failed before it wrote the body | yes |
 * | begins with `<`, or plain text | page or message of a proxy, which may be gone soon | yes |
 * | ends too early | the connection or the server broke | yes |
 * | malformed: no further text can make it valid | the API's encoder | no |
 * | text around JSON: `)]}'`, `cb(…)`, a warning before `{` | the API's encoder | no |
 *
 * A fault of the server (5xx, 408) is always requested again. json-fault.ts says what is malformed.
 */
function describeNoJson(context: ApiErrorContext, origin: Origin): ApiError {
  const { status, body } = context;
  if (headerOf(origin.headers, 'location') !== null && status >= 300 && status < 400)
    return errorByStatus(context, origin);
  const text = body.trim();
  if (status === 429) return new LimitError(context, 'limit', null, 'too many requests');
  if (text === '' && (status === 402 || status === 403)) return errorByStatus(context, origin);
  if (text === '') return new BodyError(context, 'the body is empty, JSON was expected');
  const isSent = status !== 408 && status < 500;
  if (/^[[{"]/.test(text)) {
    const fault = findJsonFault(body);
    if (fault === null || fault.kind === 'truncated')
      return new BodyError(context, 'the body is incomplete JSON (cut off?)');
    const words = `the body is malformed JSON: ${describeJsonFault(body, fault)}`;
    return new BodyError(context, words, !isSent);
  }
  if (/[}\]]$/.test(text) || /^[\w$.]+\(\s*[[{]/.test(text))
    return new BodyError(context, 'the body has text before or after its JSON', !isSent);
  if (text.startsWith('<'))
    return new BodyError(
      context,
      `the body is an HTML or XML page (of ${origin.proxy === null ? 'a proxy' : `the proxy ${origin.proxy}`}?), JSON was expected`,
    );
  return new BodyError(context, 'the body is not JSON');
}

function errorByStatus(context: ApiErrorContext, { headers }: Origin): ApiError {
  const { status } = context;
  if (status === 429) return new LimitError(context, 'limit', null, 'too many requests');
  if (status === 402 || status === 403)
    return new PermissionDeniedError(context, context.body.trim() || 'no reason given');
  if (status >= 300 && status < 400) {
    const location = headerOf(headers, 'location');
    const where =
      location === null ? ', but names no address' : ` to ${location}; ${redirectAdvice(location, context)}`;
    return new ContractError(context, `the API redirects${where}`);
  }
  return new ContractError(context, 'the API answered with an error of an undocumented shape');
}

/** Returns what to do about a redirect that the client does not follow, because it leads to another origin. */
function redirectAdvice(location: string, { requestKey }: ApiErrorContext): string {
  const path = requestKey.split(' ', 2)[1] ?? '';
  const target = URL.canParse(location) ? new URL(location) : null;
  if (target === null || path === '' || !target.pathname.endsWith(path)) return 'check api.baseUrl';
  return `set api.baseUrl to ${target.origin}${target.pathname.slice(0, -path.length)}`;
}

function describeMisfit(error: z.ZodError): string {
  const [issue] = error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'the body' : issue.path.join('.');
  return `the answer differs from the API reference: ${where}: ${issue?.message ?? 'does not fit'}`;
}

function nameKind(json: unknown): string {
  if (json === null) return 'null';
  return Array.isArray(json) ? 'an array' : typeof json;
}
