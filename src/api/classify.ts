import { z } from 'zod';

import { ValidationItem } from '../../schemas/connector/error.js';
import { AutocompleteErrorBody, LimitAccess } from '../../schemas/v2/error.js';
import { V1ErrorBody } from '../../schemas/v1/error.js';
import {
  AutocompleteFieldError,
  InternalApiError,
  InvalidRequestError,
  LimitError,
  NotFoundError,
  PermissionDeniedError,
  TokenVerificationError,
  ValidationError,
  type ApiError,
  type ApiErrorContext,
} from './errors.js';

/*
 * Decides which error a JSON body contains.
 * - The reference states no statuses for version 2. So the shape of the body decides. The status decides only between
 *   errors of the same shape.
 * - Each version of the API may also answer in the shapes of the other version.
 * - Several errors have the shape `{detail}`. The words of `detail` decide between them.
 */

/** The list of faults that the connector sends as `detail`. Gateways send it, too. */
const ValidationList = z.array(ValidationItem).min(1);
const SAYS_TOKEN =
  /\b(invalid|missing|expired|wrong|unknown|bad|revoked)\b.{0,12}\b(token|api[ _-]?key|credentials?)\b|\b(token|api[ _-]?key|credentials?)\b.{0,40}\b(invalid|missing|expired|not valid|incorrect|wrong|not (found|provided)|required|unknown|revoked)\b/i;
/** Used only for a status below 500. In a 5xx answer, these words may describe a failed part of the server. */
const SAYS_AUTHENTICATION = /\bauthentication\b|\bunauthori[sz]ed\b/i;
const SAYS_INTERNAL =
  /\binternal\b|\bserver (error|failure)|\bunexpected\b|\bunavailable\b|try again|exception|timed? ?out/i;
const SAYS_THROTTLED = /\bthrottled\b|too many requests|\brate limit/i;
const SAYS_NOT_FOUND = /\bnot found\b|does not exist|\bno .{1,40} matches\b/i;
/** Matches words about permissions. "API key is missing the permission X" does not mean that the API key is wrong. */
const SAYS_PERMISSION =
  /\bpermissions?\b|\bforbidden\b|\baccess denied\b|\bnot (permitted|allowed|entitled) to\b|\b(subscription|plan|licen[cs]e) does not include\b/i;
const SAYS_REFUSED = /\bmethod\b.*\bnot allowed\b|unsupported media type/i;

/**
 * Returns the error in a parsed body. Returns null when the body does not have the shape of an error.
 * @param mayBeData true for a 2xx answer of an undocumented route. Then only shapes that data cannot have count as
 * errors.
 */
export function findError(json: unknown, context: ApiErrorContext, mayBeData: boolean): ApiError | null {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return null;
  const body = json as Record<string, unknown>;
  if (typeof body['error_name'] === 'string') return v1Error(body, context);
  const { error_guard: guard, message_guard: message, detail } = body;
  if (typeof guard === 'string')
    return new LimitError(context, guard, readAccess(body), typeof message === 'string' ? message : '');
  const keys = Object.keys(body);
  if (typeof detail === 'string' && (context.status >= 400 || keys.length === 1))
    return detailError(detail, body, context);
  if (mayBeData) return null;
  if (/^POST \/(v2|api)\/autocomplete$/.test(context.endpoint) && keys.length === 1) {
    const parsed = AutocompleteErrorBody.safeParse(body);
    if (parsed.success) return new AutocompleteFieldError(context, parsed.data.fields);
  }
  const fields = readFieldMessages(body);
  if (fields !== null) return new InvalidRequestError(context, fields);
  const items = ValidationList.safeParse(detail);
  return items.success ? new ValidationError(context, items.data) : null;
}

function detailError(detail: string, body: Record<string, unknown>, context: ApiErrorContext): ApiError {
  const { status } = context;
  if (status === 429 || SAYS_THROTTLED.test(detail)) return new LimitError(context, 'limit', null, detail);
  const internal = SAYS_INTERNAL.test(detail);
  if (status < 500 && status !== 401 && !internal && SAYS_PERMISSION.test(detail))
    return new PermissionDeniedError(context, detail, readAccess(body));
  if (internal && status >= 500) return new InternalApiError(context, detail);
  if (SAYS_TOKEN.test(detail) || (status < 500 && SAYS_AUTHENTICATION.test(detail)))
    return new TokenVerificationError(context, detail);
  if (internal) return new InternalApiError(context, detail);
  if (status === 401) return new TokenVerificationError(context, detail);
  if (status === 402 || status === 403) return new PermissionDeniedError(context, detail, readAccess(body));
  if (status === 404 || status === 410) return new NotFoundError(context, detail);
  // A 5xx that mentions "not found" comes from a broken server. If the client read it as a 404, an existing company
  // would disappear.
  if (status < 500 && SAYS_NOT_FOUND.test(detail)) return new NotFoundError(context, detail);
  if (SAYS_REFUSED.test(detail)) return new InvalidRequestError(context, { detail: [detail] });
  return new InternalApiError(context, detail);
}

/** Returns what the call needs (a permission, module or app) if the body names it, otherwise null. */
function readAccess({ access }: Record<string, unknown>): LimitAccess | null {
  const parsed = LimitAccess.safeParse(access);
  return parsed.success ? parsed.data : null;
}

function v1Error(body: Record<string, unknown>, context: ApiErrorContext): ApiError {
  const parsed = V1ErrorBody.safeParse(body).data;
  const name = String(body['error_name']);
  const message = parsed?.message ?? name;
  const code = parsed?.code ?? parsed?.error_code ?? context.status;
  if (/token|authenticat/i.test(name)) return new TokenVerificationError(context, message);
  if (/not_?found/i.test(name)) return new NotFoundError(context, message);
  if (/permission|forbidden|denied/i.test(name)) return new PermissionDeniedError(context, message, readAccess(body));
  if (/limit|quota|throttl/i.test(name)) {
    return new LimitError(context, /daily/i.test(`${name} ${message}`) ? 'limits.daily' : 'limit', null, message);
  }
  if (name !== 'InvalidRequest' && code === 403) return new PermissionDeniedError(context, message, readAccess(body));
  if (name === 'InvalidRequest' || (name !== 'InternalError' && code >= 400 && code < 500)) {
    const param = parsed?.data?.['param'];
    return new InvalidRequestError(context, { [typeof param === 'string' ? param : 'request']: [message] });
  }
  return new InternalApiError(context, message);
}

/**
 * Reads an error of the shape InvalidRequest, in which each value is an array of strings, or an object of arrays of
 * strings. Returns the messages by field; the name of a nested field is dotted (`filters.country`). Returns null when a
 * value has another shape, or when there is no message.
 */
function readFieldMessages(body: Record<string, unknown>, prefix = ''): Record<string, string[]> | null {
  const fields: Record<string, string[]> = {};
  for (const [key, value] of Object.entries(body)) {
    if (Array.isArray(value)) {
      if (!value.every((item) => typeof item === 'string')) return null;
      if (value.length > 0) fields[prefix + key] = value;
    } else if (typeof value === 'object' && value !== null) {
      const inner = readFieldMessages(value as Record<string, unknown>, `${prefix}${key}.`);
      if (inner === null) return null;
      Object.assign(fields, inner);
    } else {
      return null;
    }
  }
  return Object.keys(fields).length === 0 ? null : fields;
}
