import type { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { castError } from '../../../activities/run/cast-errors.js';
import { TidemarkError } from '../../../src/base/errors.js';

// Of a larger failure, Temporal shows only "Failure exceeds size limit".
const LIMIT = 4_096;

function bytesOf(error: unknown): number {
  if (!(error instanceof Error)) return 0;
  return Buffer.byteLength(error.message) + Buffer.byteLength(error.stack ?? '') + bytesOf(error.cause);
}

const long = (retryable: boolean): unknown =>
  castError(
    new TidemarkError('DiskFull', `No space left to write x.duckdb: ${'SELECT 1; '.repeat(2_000)}`, {
      todo: 'Free space on that disk.',
      retryable,
      cause: new Error('y'.repeat(50_000)),
    }),
  );

it('keeps cause and remedy of a long failure that Temporal retries', () => {
  const failure = long(true) as ApplicationFailure;
  expect(bytesOf(failure)).toBeLessThan(LIMIT);
  expect(failure.message).toMatch(/^No space left to write x\.duckdb: .* … .*Free space on that disk\.$/s);
  expect([failure.type, failure.nonRetryable]).toEqual(['DiskFull', false]);
});

it('keeps the whole message of a failure that ends the run', () => {
  const failure = long(false) as ApplicationFailure;
  expect(failure.message.length).toBeGreaterThan(20_000);
  expect(failure.cause).toBeInstanceOf(Error);
});

it('leaves short failures as they are', () => {
  const cause = new Error('ENOSPC');
  const error = new TidemarkError('DiskFull', 'No space left.', { todo: 'Free space.', retryable: true, cause });
  expect((castError(error) as ApplicationFailure).cause).toBe(error);
});
