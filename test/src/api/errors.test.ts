import { describe, expect, it } from 'vitest';
import * as errors from '../../../src/api/errors.js';

const context = (more: Partial<errors.ApiErrorContext> = {}): errors.ApiErrorContext => ({
  endpoint: 'GET /v2/x',
  requestKey: 'GET /v2/x {}',
  status: 400,
  body: 'body',
  fetchedAt: '2026-11-20T00:00:00.000Z',
  attempts: 1,
  ...more,
});
const limit = (guard: string): errors.LimitError => new errors.LimitError(context(), guard, null, 'm');

describe('ApiError', () => {
  it('names route, problem, status and number of attempts', () => {
    const message = (more: object): string => new errors.InternalApiError(context(more), 'down').message;
    expect(message({})).toBe('GET /v2/x: the API failed: down (status 400)');
    expect(message({ status: 0, attempts: 1 })).toBe('GET /v2/x: the API failed: down');
    expect(message({ status: 503, attempts: 2 })).toBe('GET /v2/x: the API failed: down (status 503), 2 attempts');
  });

  it('shortens long problems and bodies', () => {
    const error = new errors.InternalApiError(context({ body: 'b'.repeat(301) }), 'p'.repeat(2_000));
    expect(error.snippet).toBe(`${'b'.repeat(300)}…`);
    expect(error.message).toMatch(/p{900}…/);
    expect(error.message.length).toBeLessThan(1_100);
    expect(new errors.InternalApiError(context({ body: 'b'.repeat(300) }), 'p').snippet).toBe('b'.repeat(300));
  });

  it('keeps the details of the call under the class name', () => {
    expect(new errors.NotFoundError(context({ status: 404 }), 'gone')).toMatchObject({
      name: 'NotFoundError',
      message: 'GET /v2/x: not found: gone (status 404)',
      endpoint: 'GET /v2/x',
      requestKey: 'GET /v2/x {}',
      status: 404,
      body: 'body',
      snippet: 'body',
      fetchedAt: '2026-11-20T00:00:00.000Z',
      attempts: 1,
      retryable: false,
    });
  });
});

it.each<[errors.ApiError, string, boolean]>([
  [new errors.TokenVerificationError(context(), 'd'), 'the API refuses the key: d', false],
  [new errors.InvalidRequestError(context(), { a: ['b', 'c'], d: ['e'] }), 'invalid request: a: b c; d: e', false],
  [limit('limit'), 'limit reached (limit): m', true],
  [limit('limits.daily'), 'limit reached (limits.daily): m', false],
  [new errors.PermissionDeniedError(context(), 'd'), 'permission denied: d', false],
  [new errors.AutocompleteFieldError(context(), ['a', 'b']), 'autocomplete needs an identifying field: a b', false],
  [new errors.TransportError(context(), 'E1', 'm', { unsent: true, retryable: true }), 'no answer: m (E1)', true],
  [
    new errors.TransportError(context(), 'E1', 'got E1', { unsent: true, retryable: false }),
    'no answer: got E1',
    false,
  ],
  [new errors.TimeoutError(context(), 7), 'no complete answer within 7 ms', true],
  [new errors.BodyError(context(), 'p'), 'p', true],
  [new errors.BodyError(context(), 'p', false), 'p', false],
  [new errors.ContractError(context(), 'p'), 'p', false],
  [new errors.ContractError(context({ status: 407 }), 'p'), 'p', false],
  [new errors.ContractError(context({ status: 408 }), 'p'), 'p', true],
  [new errors.ContractError(context({ status: 499 }), 'p'), 'p', false],
  [new errors.ContractError(context({ status: 500 }), 'p'), 'p', true],
])('states the problem and whether to retry: %o', (error, problem, retryable) => {
  expect(error.message).toBe(`GET /v2/x: ${problem} (status ${error.status})`);
  expect(error.retryable).toBe(retryable);
});

it('groups the messages of a ValidationError by place', () => {
  const items = [
    { loc: ['body', 'year'], msg: 'too small', type: 't' },
    { loc: ['body', 'year'], msg: 'odd', type: 't' },
    { loc: ['query', 0], msg: 'missing', type: 't' },
  ];
  const error = new errors.ValidationError(context({ status: 422 }), items);
  expect(error.fields).toEqual({ 'body.year': ['too small', 'odd'], 'query.0': ['missing'] });
  expect(error.items).toBe(items);
});

it('distinguishes limits from permission refusals', () => {
  const denied = new errors.PermissionDeniedError(context(), 'd');
  const kinds = [limit('limit'), limit('limits.daily'), limit('module'), denied, new errors.TimeoutError(context(), 1)];
  expect(kinds.map((error) => errors.isLimit(error))).toEqual([true, false, false, false, false]);
  expect(kinds.map((error) => errors.isRefusal(error))).toEqual([false, false, true, true, false]);
});

it('reports that the client is closed', () => {
  expect(new errors.ClientClosedError()).toMatchObject({
    name: 'ClientClosedError',
    message: 'the API client is closed',
  });
});
