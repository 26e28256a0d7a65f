import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isOpen, makeDataFolder, openFolders, shareWith, type Readers } from '../../../src/store/file-modes.js';

let data: string;
beforeEach(() => {
  data = path.join(mkdtempSync(path.join(tmpdir(), 'tidemark-modes-')), 'data');
});
afterEach(() => rmSync(path.dirname(data), { recursive: true, force: true }));

const mode = (file: string): string => (statSync(path.join(data, file)).mode & 0o777).toString(8);

function makeFolder(name: string, bits: number): void {
  mkdirSync(path.join(data, name), { recursive: true });
  chmodSync(path.join(data, name), bits);
}

describe('modes of the data folder', () => {
  it('creates the data folder for its owner only', () => {
    makeDataFolder(data);
    expect(mode('.')).toBe('700');
  });

  it('closes open subfolders except published ones', () => {
    for (const [name, bits] of [
      ['runs', 0o755],
      ['landing', 0o710],
      ['spool', 0o700],
      ['published', 0o755],
    ] as const)
      makeFolder(name, bits);
    writeFileSync(path.join(data, 'notes.txt'), '');
    chmodSync(path.join(data, 'notes.txt'), 0o644);
    expect(openFolders(data).toSorted()).toEqual(['landing', 'runs']);
    makeDataFolder(data);
    expect(openFolders(data)).toEqual([]);
    expect([mode('runs'), mode('landing'), mode('published'), mode('notes.txt')]).toEqual(['700', '700', '755', '644']);
    expect([isOpen(path.join(data, 'notes.txt')), isOpen(path.join(data, 'runs'))]).toEqual([true, false]);
  });

  it('finds no open subfolder in a missing data folder', () => {
    expect(openFolders(data)).toEqual([]);
  });
});

it.each<[Readers, string, string[]]>([
  ['owner', '700 700', ['700', '700', '400']],
  ['group', '710 750', ['750', '750', '440']],
  ['everyone', '711 755', ['755', '755', '444']],
])('shares a build with %s', (readers, way, built) => {
  for (const name of ['.', 'published', 'published/builds', 'published/builds/1', 'published/builds/1/lake'])
    makeFolder(name, 0o700);
  writeFileSync(path.join(data, 'published/builds/1/lake/a.parquet'), '', { mode: 0o600 });
  const builds = path.join(data, 'published/builds');
  shareWith(readers, data, builds, [path.join(builds, '1')]);
  expect(`${mode('.')} ${mode('published')}`).toBe(way);
  expect(mode('published/builds')).toBe(mode('published'));
  expect(['1', '1/lake', '1/lake/a.parquet'].map((name) => mode(`published/builds/${name}`))).toEqual(built);
});

it('keeps wider permissions on the path to the builds', () => {
  makeFolder('published/builds/1', 0o700);
  chmodSync(data, 0o755);
  shareWith('group', data, path.join(data, 'published/builds'), [path.join(data, 'published/builds/1')]);
  expect(mode('.')).toBe('755');
});
