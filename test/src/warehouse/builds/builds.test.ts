import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  addTakenBuild,
  beginBuild,
  currentBuild,
  finishBuild,
  isTaken,
  listBuilds,
  nameOfBuild,
  newestBuild,
  numberOf,
} from '../../../../src/warehouse/builds/builds.js';
import { buildDir, currentLink, fileOf, lakeOf } from '../../../../src/store/data-folder.js';

let dataDir: string;
beforeEach(() => (dataDir = mkdtempSync(path.join(tmpdir(), 'builds-'))));
afterEach(() => rmSync(dataDir, { recursive: true }));

const now = new Date('2026-11-20T12:34:56.789Z');
const NAME = '20261120T123456789Z-run-1';

function publish(run: string, at: Date): string {
  const build = beginBuild(dataDir, { run, now: at });
  writeFileSync(fileOf(build.folder), 'four');
  mkdirSync(lakeOf(build.folder));
  finishBuild(dataDir, build);
  return build.name;
}

it('finds no build before the first publication', () => {
  expect(listBuilds(dataDir)).toEqual([]);
  expect(newestBuild(dataDir)).toBeNull();
  expect(currentBuild(dataDir)).toBeNull();
});

it('lists builds with time, run and size, newest first', () => {
  expect(publish('run-1', now)).toBe(NAME);
  const later = publish('retry/2.b', new Date('2027-01-02T03:04:05.006Z'));
  symlinkSync(path.join('builds', NAME), currentLink(dataDir));
  expect(listBuilds(dataDir)).toEqual([
    { name: later, builtAt: '2027-01-02T03:04:05.006Z', run: 'retry_2_b', bytes: 4, current: false },
    { name: NAME, builtAt: '2026-11-20T12:34:56.789Z', run: 'run-1', bytes: 4, current: true },
  ]);
  expect(currentBuild(dataDir)).toBe(NAME);
  expect(newestBuild(dataDir)).toBe(buildDir(dataDir, later));
  expect(nameOfBuild(fileOf(buildDir(dataDir, later)))).toBe(later);
});

it('gives a second build of the same instant another name', () => {
  expect([publish('run-1', now), publish('run-1', now), publish('run-1', now)]).toEqual([
    NAME,
    `${NAME}.2`,
    `${NAME}.3`,
  ]);
  expect(listBuilds(dataDir).map(({ run }) => run)).toEqual(['run-1', 'run-1', 'run-1']);
});

it('lists no build without its file or lake, and no other folder', () => {
  const [withoutFile, withoutLake] = [publish('a', now), publish('b', now)];
  rmSync(fileOf(buildDir(dataDir, withoutFile)));
  rmSync(lakeOf(buildDir(dataDir, withoutLake)), { recursive: true });
  for (const other of ['market-20261120', 'lake-20261120', `x${NAME}`, '20261120T123456Z-run-1', 'a-market-b']) {
    mkdirSync(lakeOf(buildDir(dataDir, other)), { recursive: true });
    writeFileSync(fileOf(buildDir(dataDir, other)), '');
  }
  expect(listBuilds(dataDir)).toEqual([]);
});

it('removes leftovers of killed publications only', () => {
  const kept = publish('run-1', now);
  const killed = beginBuild(dataDir, { run: 'run-2', now });
  expect(existsSync(killed.folder)).toBe(true);
  const next = beginBuild(dataDir, { run: 'run-3', now });
  expect([killed.folder, next.folder, buildDir(dataDir, kept)].map(existsSync)).toEqual([false, true, true]);
  expect(listBuilds(dataDir).map(({ name }) => name)).toEqual([kept]);
});

it('takes a build once, although two processes ask for it and a third one publishes', async () => {
  let started: () => void = () => undefined;
  let goOn: () => void = () => undefined;
  const isWriting = new Promise<void>((resolve) => (started = resolve));
  const mayEnd = new Promise<void>((resolve) => (goOn = resolve));
  const written: string[] = [];
  const take = async (by: string): Promise<void> =>
    addTakenBuild(
      dataDir,
      NAME,
      async (file) => {
        written.push(by);
        started();
        await mayEnd;
        writeFileSync(file, by);
      },
      0,
    );
  const both = Promise.all([take('first'), take('second')]);
  await isWriting;
  const published = publish('run-2', new Date('2027-01-02T03:04:05.006Z'));
  goOn();
  await both;
  expect(written).toHaveLength(1);
  expect(listBuilds(dataDir).map(({ name }) => [name, isTaken(dataDir, name)])).toEqual([
    [published, false],
    [NAME, true],
  ]);
  await take('again');
  expect(written).toHaveLength(1);
});

it('removes what a killed process had taken of a build', async () => {
  const left = buildDir(dataDir, '.taking-20261119T000000000Z-run-0');
  mkdirSync(left, { recursive: true });
  await addTakenBuild(dataDir, NAME, async (file) => writeFileSync(file, 'four'), 1);
  expect(existsSync(left)).toBe(false);
  expect(listBuilds(dataDir).map(({ name, bytes }) => ({ name, bytes }))).toEqual([{ name: NAME, bytes: 4 }]);
});

it('orders builds by publication, whatever the clock says', async () => {
  const ahead = publish('ahead', new Date('2029-01-01T00:00:00Z'));
  const [right, later] = [publish('right', now), publish('later', new Date('2026-11-21T00:00:00Z'))];
  expect(listBuilds(dataDir).map(({ name }) => name)).toEqual([later, right, ahead]);
  expect(newestBuild(dataDir)).toBe(buildDir(dataDir, later));
  await addTakenBuild(dataDir, NAME.replace('run-1', 'other'), async (file) => writeFileSync(file, 'four'), 7);
  const next = publish('next', new Date('2020-01-01T00:00:00Z'));
  expect(listBuilds(dataDir).map(({ run }) => run)).toEqual(['next', 'other', 'later', 'right', 'ahead']);
  expect(numberOf(dataDir, next)).toBe(8);
});
