import { readFileSync } from 'node:fs';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { castError } from '../../activities/run/cast-errors.js';
import { TidemarkError } from '../../src/base/errors.js';
import * as client from '../../src/api/errors.js';

const context = (status = 200): client.ApiErrorContext => ({
  endpoint: 'GET /v2/x',
  requestKey: 'GET /v2/x',
  status,
  body: '',
  fetchedAt: '2026-11-20T00:00:00.000Z',
  attempts: 1,
});

/** One of each error the client throws, under the name it has in the table. */
const ERRORS: Record<string, client.ApiError> = {
  '`TokenVerificationError`': new client.TokenVerificationError(context(), 'd'),
  '`PermissionDeniedError`': new client.PermissionDeniedError(context(), 'd'),
  '`InvalidRequestError`': new client.InvalidRequestError(context(), {}),
  '`ValidationError`': new client.ValidationError(context(), []),
  '`AutocompleteFieldError`': new client.AutocompleteFieldError(context(), []),
  '`LimitError` (`limits.daily`)': new client.LimitError(context(), 'limits.daily', null, 'm'),
  '`LimitError` (`limit`)': new client.LimitError(context(), 'limit', null, 'm'),
  '`LimitError` (another guard)': new client.LimitError(context(), 'permission', null, 'm'),
  '`NotFoundError`': new client.NotFoundError(context(), 'd'),
  '`InternalApiError`': new client.InternalApiError(context(), 'd'),
  '`TransportError`': new client.TransportError(context(), 'ECONNRESET', 'm', { unsent: false, retryable: true }),
  '`TimeoutError`': new client.TimeoutError(context(), 1),
  '`BodyError`': new client.BodyError(context(), 'p'),
  '`BodyError` (malformed)': new client.BodyError(context(), 'p', false),
  '`ContractError` (status 200)': new client.ContractError(context(200), 'p'),
  '`ContractError` (status 500)': new client.ContractError(context(500), 'p'),
};

const [, section = ''] = readFileSync('docs/failure-modes.md', 'utf8').split('## How a fault is classed');
const table = section
  .split('\n## ')[0]
  ?.split('\n')
  .filter((line) => /^\| [a-z]+ \| `/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, , error = '', again = '', type = '', temporal = '']) => ({ error, again, type, temporal }));

describe('the table of faults in docs/failure-modes.md', () => {
  it('lists every client error in docs/failure-modes.md', () => {
    const classes = Object.values(client as Record<string, unknown>).filter(
      (one): one is typeof client.ApiError => typeof one === 'function' && one.prototype instanceof client.ApiError,
    );
    expect(classes.length).toBeGreaterThan(10);
    for (const { name } of classes) expect(Object.keys(ERRORS).join()).toContain(`\`${name}\``);
    expect(table?.map(({ error }) => error).toSorted()).toEqual(Object.keys(ERRORS).toSorted());
  });

  it.each(Object.entries(ERRORS))('documents %s in docs/failure-modes.md as castError classifies it', (name, error) => {
    const cast = castError(error);
    if (!(cast instanceof ApplicationFailure)) throw new Error('not an ApplicationFailure');
    expect(table?.find((row) => row.error === name)).toEqual({
      error: name,
      again: error.retryable ? 'yes' : 'no',
      type: `\`${cast.type}\``,
      temporal: cast.nonRetryable ? 'no' : 'yes',
    });
  });
});

describe('castError', () => {
  it('retries an unknown error as Internal', () => {
    const error = new TypeError('x is not a function');
    expect(castError(error)).toMatchObject({
      type: 'Internal',
      message: 'x is not a function',
      nonRetryable: false,
      cause: error,
    });
  });

  it.each([true, false])('copies `retryable` from a TidemarkError: %s', (retryable) => {
    const error = new TidemarkError('DiskFull', 'No space left.', { todo: 'Free some.', retryable });
    expect(castError(error)).toMatchObject({
      type: 'DiskFull',
      message: 'No space left. Free some.',
      nonRetryable: !retryable,
    });
  });

  it('passes an ApplicationFailure through unchanged', () => {
    const failure = ApplicationFailure.create({ message: 'm' });
    expect(castError(failure)).toBe(failure);
  });
});

describe('castError for `limit`', () => {
  const access = {
    permission: 'p',
    permission_name: 'Reports',
    module: 'm',
    module_name: 'Company data',
    app: 'a',
    app_name: 'App',
    surprise: 'kept out',
  };
  const cast = (retryAfterMs: number | null) =>
    castError(
      new client.LimitError({ ...context(429), retryAfterMs }, 'limit', access, 'Slow down.'),
    ) as ApplicationFailure;

  it('casts `limit` to a benign LimitError with guard, access and retry delay', () => {
    const failure = cast(7_000);
    const { surprise: _, ...documented } = access;
    expect(failure).toMatchObject({
      type: 'LimitError',
      nonRetryable: false,
      category: ApplicationFailureCategory.BENIGN,
      nextRetryDelay: 7_000,
      details: [{ guard: 'limit', access: documented }],
    });
    expect(failure.message).toMatch(
      /limit.*Slow down.*Permission "Reports", module "Company data".*retries the rest in 7 s/,
    );
  });

  it.each([
    [null, undefined],
    [0, 1_000],
    [86_400_000, 3_600_000],
  ])('turns a Retry-After of %s ms into a retry delay of %s ms', (asked, waits) => {
    expect(cast(asked).nextRetryDelay).toBe(waits);
  });

  it.each([
    [null, ''],
    [{ app_name: 'App' }, ''],
    [{ module: 'm' }, ' (module "m")'],
    [{ permission: 'p'.repeat(150) }, ` (Permission "${'p'.repeat(100)}")`],
  ])('names the permission and module that the `limit` answer holds: %j', (given, named) => {
    const message = (of: typeof given): string =>
      (castError(new client.LimitError(context(429), 'limit', of, 'Slow down.')) as ApplicationFailure).message;
    const without = message(null);
    expect(message(given)).toBe(without.replace('. The fetched', `${named}. The fetched`));
  });
});

describe('castError for a refused permission', () => {
  it('names the refused permission and does not retry', () => {
    const refused = new client.LimitError(context(), 'permission', { permission_name: 'Reports' }, 'm');
    expect(castError(refused)).toMatchObject({ type: 'PermissionDenied', nonRetryable: true });
    expect((castError(refused) as ApplicationFailure).message).toContain(' (Permission "Reports"). ');
  });
});
