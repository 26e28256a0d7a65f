import { describe, expect, it } from 'vitest';
import { asDiskError, classifyDiskError, describeDiskError, type DiskFault } from '../../../src/store/disk-errors.js';
import { TidemarkError } from '../../../src/base/errors.js';

const WAREHOUSE = '/data/warehouse/tidemark.duckdb';
const BUILD = '/data/published/builds/b/market.duckdb';

/** Errors of Node, by code. */
const CODES: [string, DiskFault][] = [
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['EFBIG', 'full'],
  ['EROFS', 'readOnly'],
  ['EACCES', 'denied'],
  ['EPERM', 'denied'],
  ['ENOENT', 'missing'],
  ['EISDIR', 'wrongKind'],
  ['ENOTDIR', 'wrongKind'],
  ['ELOOP', 'wrongKind'],
  ['EMFILE', 'tooManyOpen'],
  ['ENFILE', 'tooManyOpen'],
  ['EIO', 'failing'],
  ['ENXIO', 'failing'],
  ['ENODEV', 'failing'],
  ['ESTALE', 'failing'],
  ['EREMOTEIO', 'failing'],
  ['EUCLEAN', 'failing'],
  ['ENOTCONN', 'failing'],
];

/** Messages of DuckDB 1.5, and the file that each of them names. */
const MESSAGES: [string, DiskFault, string?][] = [
  [`IO Error: Could not write file "${WAREHOUSE}": No space left on device`, 'full', WAREHOUSE],
  ['TransactionContext Error: Failed to commit: disk quota exceeded', 'full'],
  ['Out of Memory Error: failed to offload data block of size 256.0 KiB', 'full'],
  [`IO Error: Cannot open file "${WAREHOUSE}": Read-only file system`, 'readOnly', WAREHOUSE],
  [
    `IO Error: Failed to create directory "/data/warehouse/x.tmp": Read-only file system`,
    'readOnly',
    '/data/warehouse/x.tmp',
  ],
  [`IO Error: Cannot open file "${WAREHOUSE}": Permission denied`, 'denied', WAREHOUSE],
  [`IO Error: Cannot open file "${WAREHOUSE}": Operation not permitted`, 'denied', WAREHOUSE],
  [`IO Error: Cannot open file "${WAREHOUSE}": Too many open files`, 'tooManyOpen', WAREHOUSE],
  [`IO Error: Could not read from file "${WAREHOUSE}": Is a directory`, 'wrongKind', WAREHOUSE],
  [`IO Error: Could not read from file "${WAREHOUSE}": Input/output error`, 'failing', WAREHOUSE],
  [`IO Error: Could not fsync file "${WAREHOUSE}": Stale file handle`, 'failing', WAREHOUSE],
  [`IO Error: Could not write file "${WAREHOUSE}": Structure needs cleaning`, 'failing', WAREHOUSE],
  [
    'IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2 in block at location 4096',
    'damaged',
  ],
  [`IO Error: The file "${WAREHOUSE}" exists, but it is not a valid DuckDB database file!`, 'damaged', WAREHOUSE],
  [
    `IO Error: Could not read enough bytes from file "${BUILD}": attempted to read 262144 bytes from location 3158016`,
    'damaged',
    BUILD,
  ],
  [
    `IO Error: Failure while replaying WAL file "${WAREHOUSE}.wal": Corrupt WAL file: entry at byte position 24 computed checksum 1 does not match stored checksum 2`,
    'damaged',
    WAREHOUSE,
  ],
  [
    `INTERNAL Error: Failure while replaying WAL file "${WAREHOUSE}.wal": Calling DatabaseManager::GetDefaultDatabase with no default database set`,
    'damaged',
    WAREHOUSE,
  ],
  ['Serialization Error: Failed to deserialize: field id mismatch, expected: 100, got: 0', 'damaged'],
  ['INTERNAL Error: Failed to load metadata pointer (id 1, idx 2, ptr 3)', 'damaged'],
  [
    'FATAL Error: Failed: database has been invalidated because of a previous fatal error.\nOriginal error: "Corrupt database file: computed checksum 1"',
    'damaged',
  ],
];

/** Errors that are not about a disk. Some quote a value of a record. */
const OTHERS = [
  `Conversion Error: Could not convert string 'Corrupt database file' to INT32`,
  `Binder Error: Referenced column "checksum" not found`,
  'Invalid Input Error: Malformed JSON: Permission denied',
  'INTERNAL Error: Attempted to access index 3 within vector of size 2',
  'IO Error: Could not set lock on file "/data/warehouse/tidemark.duckdb": Conflicting lock is held',
  'Constraint Error: Duplicate key "name: Read-only file system"',
];

describe('classifyDiskError', () => {
  it.each(CODES)('reads the code %s as %s', (code, fault) => {
    const found = classifyDiskError({ code, message: `${code}: anything, open '/data/x'`, path: '/data/x' });
    expect(found).toEqual({ fault, place: '/data/x' });
  });

  it.each(MESSAGES)('reads the message %s as %s', (message, fault, place) => {
    expect(classifyDiskError({ message })).toEqual({ fault, place });
  });

  it.each(OTHERS)('does not take %s for an error of a disk', (message) => {
    expect(classifyDiskError({ message })).toBeUndefined();
    const error = new Error(message);
    expect(asDiskError(error, WAREHOUSE)).toBe(error);
  });
});

const nodeError = (code: string, syscall: string, path?: string): Error =>
  Object.assign(new Error(`${code}: no`), { code, syscall, ...(path === undefined ? {} : { path }) });
const damage = new Error('IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2');

describe('an error of a disk', () => {
  it.each([
    ['a warehouse', WAREHOUSE, false, /`tidemark replay`/],
    ['a published build', BUILD, false, /`tidemark publish`/],
    ['a dev environment', '/data/env/me.duckdb', false, /`tidemark models apply --env <name>`/],
    ['any other file', '/data/warehouse/tidemark.duckdb.rebuild', true, /Run the command again/],
  ])('names the repair of %s', (_, file, retryable, todo) => {
    const error = asDiskError(damage, file);
    expect(error).toMatchObject({ type: 'DataDamaged', retryable, file, todo: expect.stringMatching(todo) as string });
    expect((error as Error).message.startsWith(`${file} is damaged: `)).toBe(true);
  });

  it.each(CODES.filter(([, fault]) => fault !== 'missing'))('for %s names place and remedy, and is retried', (code) => {
    const known = asDiskError(nodeError(code, 'mkdir', '/data/warehouse/temporary'), '/data/warehouse');
    expect(known).toBeInstanceOf(TidemarkError);
    expect(known).toMatchObject({ retryable: true, message: expect.stringContaining('/data/warehouse: ') as string });
    expect((known as TidemarkError).message.split('\n')).toHaveLength(1);
  });

  it('that nobody expected may be a missing file', () => {
    const missing = nodeError('ENOENT', 'open', '/data/x');
    expect(asDiskError(missing, '/data/x')).toBe(missing);
    expect(describeDiskError(missing)).toMatchObject({
      type: 'DiskUnusable',
      message: 'There is no /data/x: ENOENT: no',
    });
  });

  it.each([
    ['a port without permission', nodeError('EACCES', 'listen')],
    ['a program that is not installed', nodeError('ENOENT', 'spawn tidemark', 'tidemark')],
    ['an error of Tidemark', new TidemarkError('Internal', 'x', { todo: 'y', cause: nodeError('EIO', 'read', '/x') })],
  ])('is not %s', (_, error) => {
    expect(describeDiskError(error)).toBe(error);
  });
});
