import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Data, type SharedData } from '../../../src/store/data.js';
import { publishFiles, removePublished, takePublished } from '../../../src/store/publish-files.js';
import { keysBelow, makeMachines } from './machines.js';

/** Two processes that share the data: in one folder, or on two machines with a bucket. */
const SHARED: [string, () => Promise<[Data, Data]>][] = [
  [
    'a folder',
    async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-data-'));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      return [new Data(folder), new Data(folder)];
    },
  ],
  ['a bucket', async () => (await makeMachines(2)) as [SharedData, SharedData]],
];

const at = ({ dataDir }: Data, name: string): string => path.join(dataDir, 'runs', 'r', name);
const write = (data: Data, name: string, text: string): string => {
  mkdirSync(path.dirname(at(data, name)), { recursive: true });
  writeFileSync(at(data, name), text);
  return at(data, name);
};
const read = (data: Data, name: string): string => readFileSync(at(data, name), 'utf8');

describe.each(SHARED)('data in %s', (_, open) => {
  it('gives a file to the other process, until one of them removes it', async () => {
    const [a, b] = await open();
    expect(await b.refresh(at(b, 'state.json'))).toBe(false);
    await a.give(write(a, 'state.json', 'first'));
    expect(await b.refresh(at(b, 'state.json'))).toBe(true);
    expect(read(b, 'state.json')).toBe('first');
    await b.remove(at(b, 'state.json'));
    await b.remove(at(b, 'state.json'));
    expect(await a.refresh(at(a, 'state.json'))).toBe(false);
    expect([a, b].some((data) => existsSync(at(data, 'state.json')))).toBe(false);
  });

  it('lets the first of several claims win', async () => {
    const [a, b] = await open();
    const claims = await Promise.all([a, b, a].map((data, n) => data.claim(at(data, 'plan.json'), `of ${n}`)));
    expect(claims.filter(Boolean)).toHaveLength(1);
    for (const data of [a, b]) expect(read(data, 'plan.json')).toBe(`of ${claims.indexOf(true)}`);
  });

  it('publishes files that are valid together', async () => {
    const [a, b] = await open();
    const files = ['0', '1'].map((name) => write(a, name, `of a ${name}`));
    expect(await publishFiles(a, at(a, 'all.json'), { parts: 2 }, files)).toBe(true);
    await b.refresh(at(b, 'all.json'));
    expect(JSON.parse(read(b, 'all.json'))).toMatchObject({ parts: 2 });
    for (const n of [0, 1]) {
      await takePublished(b, at(b, 'all.json'), n, at(b, String(n)));
      expect(read(b, String(n))).toBe(`of a ${n}`);
    }
    await removePublished(b, at(b, 'all.json'));
    expect(await a.refresh(at(a, 'all.json'))).toBe(false);
  });
});

it('replaces own files with those of the machine that published first', async () => {
  const [a, b] = (await makeMachines(2)) as [SharedData, SharedData];
  const publish = (data: Data, text: string): Promise<boolean> =>
    publishFiles(data, at(data, 'all.json'), {}, [write(data, '0', text)]);
  expect(await publish(a, 'of a')).toBe(true);
  expect(await publish(b, 'of b')).toBe(false);
  await takePublished(b, at(b, 'all.json'), 0, at(b, '0'));
  expect(read(b, '0')).toBe('of a');
  await removePublished(b, at(b, 'all.json'));
  // The losing machine's file is no longer named, and stays until the files of its run are removed.
  expect(await keysBelow(a, 'runs/r/')).toHaveLength(1);
});
