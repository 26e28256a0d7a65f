import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { openDataFolder } from '../../../../src/store/folder-identity.js';
import { copyData } from '../../../../src/maintenance/copy/copy-data.js';
import { findDifferences } from '../../../helpers/compare-published.js';
import { prepareOnce, temporaryDataDir } from '../../../helpers/warehouse.js';
import { LocalFolder } from '../../../../src/store/local-folder.js';
import { openWorkingCopy } from '../../../../src/store/working-copy.js';
import { buildsIn } from '../../../../src/warehouse/builds/manifest.js';
import { describeCopies, folder, prepareFolder, write } from './contract.js';

describeCopies('a local folder with the form of a bucket', () => {
  const root = temporaryDataDir();
  return { storage: new LocalFolder(root), builds: buildsIn(new LocalFolder(path.join(root, 'published'))) };
});

const prepared = prepareOnce(prepareFolder);

it('copies a folder to another folder with its lake', async () => {
  const [source, target] = [folder(prepared()), folder(path.join(temporaryDataDir(), 'new'))];
  const { verified } = await copyData(source, target);
  expect(verified.differences).toEqual([]);
  expect(await findDifferences(target.dataDir ?? '')).toEqual([]);
});

it('keeps workers away from a target that is not complete', async () => {
  const [source, target] = [folder(prepared()), folder(temporaryDataDir())];
  write(
    target.dataDir ?? '',
    'copy-unfinished.json',
    readFileSync(path.join(source.dataDir ?? '', 'folder.json'), 'utf8'),
  );
  await expect(openDataFolder(target.dataDir ?? '')).rejects.toThrow('is not complete');
  await copyData(source, target);
  expect(existsSync(path.join(target.dataDir ?? '', 'copy-unfinished.json'))).toBe(false);
  expect((await openDataFolder(target.dataDir ?? '')).id).toBe((await openDataFolder(source.dataDir ?? '')).id);
});

it('makes no working copy of a folder that holds data', async () => {
  const dataDir = prepared();
  await expect(openWorkingCopy(new LocalFolder(temporaryDataDir()), dataDir)).rejects.toThrow('holds data itself');
});

it('copies no working copy', async () => {
  const copy = temporaryDataDir();
  await openWorkingCopy(new LocalFolder(temporaryDataDir()), copy);
  await expect(copyData(folder(copy), folder(temporaryDataDir()))).rejects.toThrow('is a working copy of a bucket');
  await expect(copyData(folder(prepared()), folder(copy))).rejects.toThrow('is a working copy of a bucket');
});
