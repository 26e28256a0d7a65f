import { expect, it } from 'vitest';
import { errorMessage, hasErrorCode, TidemarkError } from '../../../src/base/errors.js';
import { version } from '../../../src/base/version.js';

const coded = (code: string, cause?: unknown): Error => Object.assign(new Error(code, { cause }), { code });

it('finds an error code in an error and its causes', () => {
  expect(hasErrorCode(coded('ENOSPC'), 'ENOSPC')).toBe(true);
  expect(hasErrorCode(new Error('no room', { cause: coded('EIO', coded('ENOSPC')) }), 'ENOSPC')).toBe(true);
  expect(hasErrorCode(coded('EIO'), 'ENOSPC')).toBe(false);
  expect(hasErrorCode({ code: 'ENOSPC' }, 'ENOSPC')).toBe(false);
  expect(hasErrorCode(undefined, 'ENOSPC')).toBe(false);
});

it('stops at an error that is its own cause', () => {
  const error = coded('EIO');
  error.cause = error;
  expect(hasErrorCode(error, 'ENOSPC')).toBe(false);
});

it('is not retryable by default and keeps its cause', () => {
  const cause = new Error('below');
  const error = new TidemarkError('DiskFull', 'No space left.', { todo: 'Free some.', cause });
  expect(error).toMatchObject({ name: 'DiskFull', type: 'DiskFull', todo: 'Free some.', retryable: false, cause });
  const other = new TidemarkError('DiskFull', 'No space left.', { todo: 'Free some.', retryable: true });
  expect(other.retryable).toBe(true);
  expect('cause' in other).toBe(false);
});

it('gives the message of any thrown value', () => {
  expect([errorMessage(new Error('words')), errorMessage('text'), errorMessage(null)]).toEqual([
    'words',
    'text',
    'null',
  ]);
});

it('reads the version of the package', () => {
  expect(version()).toMatch(/^\d+\.\d+\.\d+/);
});
