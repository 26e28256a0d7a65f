import { expect, it } from 'vitest';
import {
  InternalApiError,
  InvalidRequestError,
  LimitError,
  PermissionDeniedError,
  type ApiError,
} from '../../../src/api/index.js';
import type { TidemarkError } from '../../../src/base/errors.js';
import { describeApiError } from '../../../src/cli/api.js';

const CONTEXT = {
  endpoint: 'GET /v2/metrics',
  requestKey: 'GET /v2/metrics',
  status: 400,
  body: '',
  fetchedAt: '2026-11-20T02:00:00.000Z',
  attempts: 1,
};

const todoFor = (error: ApiError) => (describeApiError(error, 'https://api.example') as TidemarkError).todo;

it('names a remedy that fits the answer of the API', () => {
  expect(todoFor(new PermissionDeniedError(CONTEXT, 'no access'))).toMatch(/^Ask the issuer of the API key/);
  expect(todoFor(new InvalidRequestError(CONTEXT, { country: ['unknown'] }))).toMatch(/^A repetition would fail again/);
  expect(todoFor(new LimitError(CONTEXT, 'limits.daily', null, 'used up'))).toMatch(/^Try again later/);
  expect(todoFor(new InternalApiError(CONTEXT, 'failure'))).toMatch(/^Try again later/);
});
