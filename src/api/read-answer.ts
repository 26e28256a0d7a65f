import type { z } from 'zod';

import { isBlank, reshape } from '../../schemas/v2/empty-shapes.js';
import { readLeniently, type Misfit } from '../../schemas/v2/read-leniently.js';
import { ExcessError } from '../base/json/json-bounds.js';
import { describeJsonFault, findJsonFault } from '../base/json/json-fault.js';
import { readJson } from '../base/json/json-nodes.js';
import { findError } from './classify.js';
import {
  BodyError,
  ContractError,
  LimitError,
  PermissionDeniedError,
  type ApiError,
  type ApiErrorContext,
} from './errors.js';
import { headerOf, type Answer } from './transport.js';

/** Where an answer came from. */
export type Origin = Pick<Answer, 'headers' | 'proxy'>;

/** Content of an answer: its data, and the values left out of the data because of a wrong type. Computed on first use. */
export interface Content<T> {
  data: () => T;
  misfits: () => readonly Misfit[];
}

/** Result of reading an answer: its content, or the error that the answer contains. */
export type Reading<T> = Content<T> | ApiError;

/** Reads the JSON of an answer with a 2xx status. Also such an answer may contain an error. */
export type ReadJson<T> = (json: unknown, context: ApiErrorContext) => Reading<T>;

/**
 * Reads a complete answer in JSON. Returns its content, or the error that its body describes. If the body describes no
 * error, the status decides which error it is.
 * @param mayBeEmpty whether the body may be empty, which reads as null
 */
export function readAnswer<T>(
  read: ReadJson<T>,
  context: ApiErrorContext,
  origin: Origin,
  mayBeEmpty: boolean,
): Reading<T> {
  const { status, body } = context;
  const success = status >= 200 && status < 300;
  // 204 and 205 say that there is no content. With any other status, an empty body may be a fault of the server.
  const isEmptyRight = status === 204 || status === 205 || (success && mayBeEmpty);
  if (isEmptyRight && body.trim() === '') return read(null, context);
  let json: unknown;
  try {
    json = readJson(body);
  } catch (error) {
    if (error instanceof ExcessError) return new BodyError(context, `the body ${error.message}`, false);
    return describeNoJson(context, origin);
  }
  return success ? read(json, context) : (findError(json, context, false) ?? errorByStatus(context, origin));
}

/** Reads an answer that must fit the schema. */
export function readPage<T>(schema: z.ZodType<T>, json: unknown, context: ApiErrorContext): Reading<T> {
  const checked = schema.safeParse(reshape(schema, json));
  if (!checked.success)
    return findError(json, context, false) ?? new ContractError(context, describeMisfit(checked.error));
  return { data: () => checked.data, misfits: once(() => readLeniently(schema, json).misfits) };
}

/**
 * Reads a record: any JSON object. Checks its values only when the caller reads them. The pipeline does not read them:
 * it lands the text of the answer.
 */
export function readRecord<T>(schema: z.ZodType<T>, json: unknown, context: ApiErrorContext): Reading<T> {
  const named = findError(json, context, false);
  if (named !== null) return named;
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json);
  if (!isObject && !isBlank(json)) return new ContractError(context, `expected a JSON object, got ${nameKind(json)}`);
  const read = once(() => {
    if (schema.safeParse(json).success) return { value: json as T, misfits: [] };
    const reading = readLeniently(schema, json);
    return { value: reading.fits ? reading.value : ({} as T), misfits: reading.misfits };
  });
  return { data: () => read().value, misfits: () => read().misfits };
}

/** Reads any JSON, as `view` shows it. */
export function readAny<T = unknown>(
  json: unknown,
  context: ApiErrorContext,
  view = (body: unknown): T => body as T,
): Reading<T> {
  return findError(json, context, true) ?? { data: once(() => view(json)), misfits: () => [] };
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
  const text = body.trim();
  const isRedirect = status >= 300 && status < 400 && headerOf(origin.headers, 'location') !== null;
  const isRefusal = text === '' && (status === 402 || status === 403);
  if (isRedirect || isRefusal || status === 429) return errorByStatus(context, origin);
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
