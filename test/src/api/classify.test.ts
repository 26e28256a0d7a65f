import { describe, expect, it } from 'vitest';
import { findError } from '../../../src/api/classify.js';
import { LimitError, type ApiError } from '../../../src/api/errors.js';

const told = (
  body: unknown,
  status = 400,
  { endpoint = 'POST /v2/prospecting', mayBeData = false } = {},
): ApiError | null =>
  findError(
    body,
    { endpoint, requestKey: 'k', status, body: '', fetchedAt: '2026-11-20T00:00:00.000Z', attempts: 1 },
    mayBeData,
  );
const name = (...args: Parameters<typeof told>): string | null => told(...args)?.name ?? null;

it.each([
  null,
  7,
  'text',
  true,
  [],
  [{ detail: 'x' }],
  {},
  { id: 1 },
  { a: [] },
  { a: ['x', 1] },
  { a: { b: 1 } },
  { a: null },
])('recognizes no error in %j', (body) => {
  expect(told(body)).toBeNull();
});

describe('an error with `detail`', () => {
  it.each([
    ['Invalid token.', 200, 'TokenVerificationError'],
    ['API key is wrong', 400, 'TokenVerificationError'],
    ['The api-key provided for this account is not valid', 500, 'TokenVerificationError'],
    ['Token expired', 418, 'TokenVerificationError'],
    ['bad credentials', 400, 'TokenVerificationError'],
    ['Credentials were not provided', 400, 'TokenVerificationError'],
    ['unauthorised', 400, 'TokenVerificationError'],
    ['Unauthorized', 499, 'TokenVerificationError'],
    ['unauthorized by the backend', 500, 'InternalApiError'],
    ['Who?', 401, 'TokenVerificationError'],
    ['You are not allowed to do this', 401, 'TokenVerificationError'],
    ['You are not allowed to do this', 400, 'PermissionDeniedError'],
    ['Your subscription does not include this', 400, 'PermissionDeniedError'],
    ['Your licence does not include this', 499, 'PermissionDeniedError'],
    ['access denied', 500, 'InternalApiError'],
    ['Pay', 402, 'PermissionDeniedError'],
    ['No', 403, 'PermissionDeniedError'],
    ['Gone', 404, 'NotFoundError'],
    ['Gone', 410, 'NotFoundError'],
    ['Company does not exist', 400, 'NotFoundError'],
    ['No company matches the query', 499, 'NotFoundError'],
    ['Company does not exist', 500, 'InternalApiError'],
    ['too many requests', 200, 'LimitError'],
    ['rate limit hit', 400, 'LimitError'],
    ['anything', 429, 'LimitError'],
    ['timed out', 400, 'InternalApiError'],
    ['Unexpected token', 400, 'InternalApiError'],
    ['internal permission table', 400, 'InternalApiError'],
    ['Invalid token, internal error', 500, 'InternalApiError'],
    ['Unsupported media type "text/plain"', 415, 'InvalidRequestError'],
    ['Method "PUT" not allowed.', 405, 'InvalidRequestError'],
    ['anything', 400, 'InternalApiError'],
  ])('classifies the detail %j with status %i as %s', (detail, status, expected) => {
    expect(name({ detail }, status)).toBe(expected);
  });

  it('treats a detail among other fields as an error only with an error status', () => {
    const body = { detail: 'Not found.', id: 1 };
    expect(name(body, 404)).toBe('NotFoundError');
    expect(name(body, 399)).toBeNull();
    expect(name({ detail: 'Not found.' }, 200)).toBe('NotFoundError');
  });

  it('keeps the access that the key lacks, or the refused words', () => {
    const access = { permission: 'p', module: 'm' };
    expect(told({ detail: 'Forbidden', access })).toMatchObject({ access });
    expect(told({ detail: 'No', access: 7 }, 403)).toMatchObject({ access: null });
    expect(told({ detail: 'Method "PUT" not allowed.' }, 405)).toMatchObject({
      fields: { detail: ['Method "PUT" not allowed.'] },
    });
  });
});

describe('an error with `error_guard`', () => {
  it('classifies error_guard as a LimitError with message and access', () => {
    const access = { permission: 'p' };
    expect(told({ error_guard: 'limit', message_guard: 'slow', access })).toMatchObject({
      name: 'LimitError',
      guard: 'limit',
      access,
      message: expect.stringContaining('limit reached (limit): slow') as string,
    });
    expect(told({ error_guard: 'x', message_guard: 7 })?.message).toMatch(/limit reached \(x\): {2}\(status/);
    expect(told({ error_guard: 7 })).toBeNull();
  });
});

describe('an error of version 1', () => {
  it.each([
    [{ error_name: 'TokenExpired' }, 'TokenVerificationError'],
    [{ error_name: 'AuthenticationFailed' }, 'TokenVerificationError'],
    [{ error_name: 'NotFound' }, 'NotFoundError'],
    [{ error_name: 'id_not_found' }, 'NotFoundError'],
    [{ error_name: 'Forbidden' }, 'PermissionDeniedError'],
    [{ error_name: 'AccessDenied' }, 'PermissionDeniedError'],
    [{ error_name: 'QuotaReached' }, 'LimitError'],
    [{ error_name: 'Throttled' }, 'LimitError'],
    [{ error_name: 'NoProduct', code: 403 }, 'PermissionDeniedError'],
    [{ error_name: 'InvalidRequest', code: 403 }, 'InvalidRequestError'],
    [{ error_name: 'Odd', code: 400 }, 'InvalidRequestError'],
    [{ error_name: 'Odd', error_code: 499 }, 'InvalidRequestError'],
    [{ error_name: 'Odd', code: 399 }, 'InternalApiError'],
    [{ error_name: 'Odd', code: 500 }, 'InternalApiError'],
    [{ error_name: 'InternalError', code: 400 }, 'InternalApiError'],
    [{ error_name: 'Odd' }, 'InvalidRequestError'],
  ])('classifies the version 1 error %j as %s', (body, expected) => {
    expect(name(body, 400)).toBe(expected);
  });

  it('distinguishes the daily limit from the rate limit in version 1', () => {
    const guard = (error: ApiError | null): string | null => (error instanceof LimitError ? error.guard : null);
    expect(guard(told({ error_name: 'DailyLimit' }))).toBe('limits.daily');
    expect(guard(told({ error_name: 'Limit', message: 'the daily limit' }))).toBe('limits.daily');
    expect(guard(told({ error_name: 'Limit', message: 'slow' }))).toBe('limit');
  });

  it('names the parameter of a version 1 error, or the request', () => {
    expect(told({ error_name: 'InvalidRequest', message: 'm', data: { param: 'slug' } })).toMatchObject({
      fields: { slug: ['m'] },
    });
    expect(told({ error_name: 'InvalidRequest', data: { param: 7 } })).toMatchObject({
      fields: { request: ['InvalidRequest'] },
    });
  });
});

describe('errors by field', () => {
  it('classifies messages by field as InvalidRequestError, without empty ones', () => {
    expect(told({ page: ['Too high.'], size: [], filters: { a: { b: ['x'] } } })).toMatchObject({
      name: 'InvalidRequestError',
      fields: { page: ['Too high.'], 'filters.a.b': ['x'] },
    });
  });

  it('reports no error for text lists if the answer may be data', () => {
    expect(told({ page: ['Too high.'] }, 200, { mayBeData: true })).toBeNull();
    expect(name({ detail: 'Not found.' }, 200, { mayBeData: true })).toBe('NotFoundError');
    expect(name({ error_guard: 'limit' }, 200, { mayBeData: true })).toBe('LimitError');
  });
});

describe('errors of autocomplete', () => {
  const body = { fields: ['Give one.'] };

  it.each(['POST /v2/autocomplete', 'POST /api/autocomplete'])('recognizes the error of %s', (endpoint) => {
    expect(told(body, 400, { endpoint })).toMatchObject({ name: 'AutocompleteFieldError', messages: ['Give one.'] });
    expect(name({ ...body, page: ['x'] }, 400, { endpoint })).toBe('InvalidRequestError');
  });

  it.each(['GET /v2/autocomplete', 'POST /v2/autocomplete/more', 'X POST /v2/autocomplete', 'POST /v1/autocomplete'])(
    'recognizes no autocomplete error from %s',
    (endpoint) => {
      expect(name(body, 400, { endpoint })).toBe('InvalidRequestError');
    },
  );
});

it('classifies a list of connector faults as ValidationError', () => {
  const detail = [{ loc: ['body', 'year'], msg: 'no', type: 't' }];
  expect(told({ detail }, 422)).toMatchObject({
    name: 'ValidationError',
    items: detail,
    fields: { 'body.year': ['no'] },
  });
  expect(told({ detail: [] }, 422)).toBeNull();
});
