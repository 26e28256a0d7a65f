import { describe, expect, test } from 'vitest';
import { TidemarkError } from '../../../../src/base/errors.js';
import {
  asWarehouseError,
  LandingCorruptError,
  ModelFailedError,
  NotPublishedError,
  WarehouseBusyError,
} from '../../../../src/warehouse/duckdb/errors.js';

const LOADED = { parts: 1, rows: 2, rejects: 3 };

describe('LandingCorruptError', () => {
  test('counts all damaged files and names five', () => {
    const faults = (n: number) => Array.from({ length: n }, (_, i) => `f${i}`);
    expect(new LandingCorruptError(faults(5), LOADED).message).toBe(
      'Landing zone: 5 damaged or missing files: f0; f1; f2; f3; f4.',
    );
    expect(new LandingCorruptError(faults(1_006), LOADED).message).toBe(
      'Landing zone: 1,006 damaged or missing files: f0; f1; f2; f3; f4; ….',
    );
    expect(new LandingCorruptError(['f'], LOADED)).toMatchObject({
      type: 'LandingCorrupt',
      faults: ['f'],
      loaded: LOADED,
      todo: expect.stringMatching(/^Restore each file from a backup/) as string,
    });
    expect(new LandingCorruptError(['f'], LOADED, 'Replay.').todo).toBe('Replay.');
  });
});

describe('WarehouseBusyError', () => {
  test.each([
    [[undefined, undefined], 'another process'],
    [[new Error('Conflicting lock is held in node (PID 42)'), undefined], 'another process (PID 42)'],
    [[new Error('held (PID 42)'), 'tidemark compact'], 'tidemark compact'],
  ] as const)('names the program that uses the warehouse if known: %s', ([cause, holder], said) => {
    const error = new WarehouseBusyError('x.duckdb', cause, holder);
    expect(error).toMatchObject({
      type: 'WarehouseBusy',
      retryable: true,
      message: `The warehouse x.duckdb is in use by ${said}.`,
    });
  });
});

test('a failed model lists its failed audits, by default none', () => {
  expect(new ModelFailedError('m', 't')).toMatchObject({
    type: 'ModelFailed',
    message: 'm',
    todo: 't',
    failedAudits: [],
  });
  const cause = new Error('c');
  expect(new ModelFailedError('m', 't', { failedAudits: ['a'], cause })).toMatchObject({ failedAudits: ['a'], cause });
});

describe('NotPublishedError', () => {
  test.each([
    [undefined, 'There is no published warehouse at x.', /^Run `tidemark snapshot` \(or `npm run demo`\) first/],
    [new Error('Could not set lock on file'), 'x cannot be opened: Could not set lock on file', /^Close the program/],
    [new Error('Permission denied'), 'x cannot be opened: Permission denied', /^The setting `readers`/],
    [new Error('not a database'), 'x cannot be opened: not a database', /^Run `tidemark snapshot` again/],
  ])('gives a remedy for an unreadable published file: %s', (cause, message, todo) => {
    expect(new NotPublishedError('x', cause)).toMatchObject({ message, todo: expect.stringMatching(todo) as string });
  });
});

describe('asWarehouseError', () => {
  test('passes on errors with a remedy or unrelated to disk and locks', () => {
    for (const error of [
      new TidemarkError('Internal', 'No space left on device', { todo: 'Free some.' }),
      new Error('syntax error'),
      'text',
    ])
      expect(asWarehouseError(error, 'x')).toBe(error);
  });

  test.each(['Could not set lock on file "x"', 'Conflicting lock is held', 'it is being used by another process'])(
    'reports a busy warehouse for a DuckDB lock error: %s',
    (message) => {
      const cause = new Error(message);
      expect(asWarehouseError(cause, 'x')).toMatchObject({ type: 'WarehouseBusy', cause });
    },
  );

  test('names the file that is full, by default the warehouse', () => {
    const named = (message: string) => (asWarehouseError(new Error(message), 'x') as Error).message;
    expect(named('Could not write to file "spill.tmp": File too large')).toMatch(
      /^No space left to write spill\.tmp: /,
    );
    expect(named('Out of disk space')).toMatch(/^No space left to write x: /);
    expect(asWarehouseError(Object.assign(new Error('full'), { code: 'ENOSPC' }), 'x')).toMatchObject({
      type: 'DiskFull',
    });
  });
});
