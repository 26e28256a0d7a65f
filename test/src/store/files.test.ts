import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { asDiskError } from '../../../src/store/disk-errors.js';
import { syncFolder, writeFileAtomic, writeFileOnce } from '../../../src/store/files.js';
import { findLost, listPlacements, watchDisk } from '../../helpers/recorded-disk.js';

vi.mock(import('node:fs'), async (original) =>
  (await import('../../helpers/recorded-disk.js')).recordFs(await original()),
);
vi.mock(import('node:fs/promises'), async (original) =>
  (await import('../../helpers/recorded-disk.js')).recordFsPromises(await original()),
);

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'tidemark-files-')));
  watchDisk(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.each([
  ['writeFileAtomic', writeFileAtomic],
  ['writeFileOnce', writeFileOnce],
])('%s', (_, write) => {
  test('fsyncs the content before the rename', async () => {
    await write(path.join(folder, 'a.json'), '{}');
    expect(listPlacements()).toEqual([{ to: 'a.json', lost: [] }]);
  });

  test('returns once content and name survive a power cut', async () => {
    const file = path.join(folder, 'new', 'deep', 'a.json');
    await write(file, '{}');
    expect(findLost(file)).toEqual([]);
    expect(readFileSync(file, 'utf8')).toBe('{}');
  });

  test('leaves no temporary file, even after a failure', async () => {
    await write(path.join(folder, 'a.json'), '{}');
    mkdirSync(path.join(folder, 'taken', 'inside'), { recursive: true });
    await write(path.join(folder, 'taken'), '{}').catch(() => undefined);
    expect(readdirSync(folder).toSorted()).toEqual(['a.json', 'taken']);
  });
});

test('writeFileAtomic replaces a file', async () => {
  const file = path.join(folder, 'a');
  writeFileSync(file, 'old');
  await writeFileAtomic(file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
});

test('writeFileOnce keeps an existing file', async () => {
  const file = path.join(folder, 'a');
  expect(await writeFileOnce(file, 'first')).toBe(true);
  expect(await writeFileOnce(file, 'second')).toBe(false);
  expect(readFileSync(file, 'utf8')).toBe('first');
});

test('syncFolder makes a new name durable', async () => {
  const file = path.join(folder, 'a');
  writeFileSync(file, '');
  expect(findLost(file)).toEqual(['content a', 'name a']);
  await syncFolder(folder);
  expect(findLost(file)).toEqual(['content a']);
});

test.each(['ENOSPC', 'EDQUOT', 'EFBIG'])('asDiskError reports %s as a retryable full disk', (code) => {
  const error = Object.assign(new Error('no room'), { code });
  expect(asDiskError(error, 'a.parquet')).toMatchObject({ type: 'DiskFull', retryable: true });
});

test('asDiskError returns other errors unchanged', () => {
  const error = Object.assign(new Error('no such file'), { code: 'ENOENT' });
  expect(asDiskError(error, 'a.parquet')).toBe(error);
  expect(existsSync(path.join(folder, 'a.parquet'))).toBe(false);
});
