import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { identityFile } from '../../../src/store/data-folder.js';
import { openDataFolder } from '../../../src/store/folder-identity.js';
import type { SharedData } from '../../../src/store/data.js';
import { joinData, openData, openWorkingCopy } from '../../../src/store/working-copy.js';
import { makeMachines } from './machines.js';

const write = ({ dataDir }: SharedData, name: string, text: string): string => {
  const file = path.join(dataDir, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};
const read = ({ dataDir }: SharedData, name: string): string => readFileSync(path.join(dataDir, name), 'utf8');

it('lets one of two machines decide a file, and gives it to the other', async () => {
  const machines = await makeMachines(2);
  const claims = await Promise.all(
    machines.map((copy, machine) => copy.claim(path.join(copy.dataDir, 'runs/1/plan.json'), `of machine ${machine}`)),
  );
  const winner = claims.indexOf(true);
  expect(claims).toEqual([winner === 0, winner === 1]);
  expect(machines.map((copy) => read(copy, 'runs/1/plan.json'))).toEqual(Array(2).fill(`of machine ${winner}`));
});

it('takes the current content of a file that changes', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const there = path.join(b.dataDir, 'calibration/demo.json');
  expect(await b.refresh(there)).toBe(false);
  const here = write(a, 'calibration/demo.json', '"first"');
  await a.give(here);
  expect(await b.refresh(there)).toBe(true);
  expect(readFileSync(there, 'utf8')).toBe('"first"');
  await a.give(write(a, 'calibration/demo.json', '"second"'));
  expect(await b.refresh(there)).toBe(true);
  expect(readFileSync(there, 'utf8')).toBe('"second"');
  await a.remove(here);
  expect(await b.refresh(there)).toBe(false);
  expect(existsSync(there)).toBe(false);
});

it('takes new files of a folder, and removes those that are gone', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  for (const name of ['1', '2']) await a.give(write(a, `owner-jobs/open/${name}.json`, name));
  const gone = write(b, 'owner-jobs/open/3.json', '3');
  await b.refreshFolder(path.join(b.dataDir, 'owner-jobs', 'open'), [gone]);
  expect([1, 2].map((n) => read(b, `owner-jobs/open/${n}.json`))).toEqual(['1', '2']);
  expect(existsSync(gone)).toBe(false);
});

it('gives all machines the same identity', async () => {
  const machines = await makeMachines(3);
  const places = machines.map(({ storage, dataDir }) => ({ bucket: storage.name, storage: {}, dataDir }));
  await Promise.all(places.map(async (place) => joinData(await openData(place))));
  const ids = await Promise.all(machines.map(async ({ dataDir }) => (await openDataFolder(dataDir)).id));
  expect(new Set(ids).size).toBe(1);
  expect(machines.every(({ dataDir }) => existsSync(identityFile(dataDir)))).toBe(true);
});

it('refuses a folder that is the working copy of other data', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const other = { ...a.storage, name: 's3://other/data' } as SharedData['storage'];
  await expect(openWorkingCopy(other, b.dataDir)).rejects.toThrow(/is a working copy of .*, not of s3:\/\/other\/data/);
});
