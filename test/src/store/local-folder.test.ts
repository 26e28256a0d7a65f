import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { LocalFolder } from '../../../src/store/local-folder.js';
import { openStorage } from '../../../src/store/open.js';
import { describeStorage } from './contract.js';
import { describeLease } from './lease-contract.js';

const root = mkdtempSync(path.join(tmpdir(), 'tidemark-local-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let opened = 0;
const open = async (): Promise<LocalFolder> => new LocalFolder(path.join(root, String(opened++)));
describeStorage('a local folder', async (same) => (same === undefined ? open() : new LocalFolder(same.name)));
describeLease('a local folder', async () => ({ storage: await open(), env: {} }));

it('does not list temporary files and locks', async () => {
  const storage = await open();
  await storage.create('a/b', Buffer.from('x'));
  for (const name of ['.b.1.tmp', '.new-1', 'a/.c.lock']) {
    mkdirSync(path.join(storage.name, name), { recursive: true });
    writeFileSync(path.join(storage.name, name, 'body'), 'x');
  }
  const keys: string[] = [];
  for await (const { key } of storage.list('')) keys.push(key);
  expect(keys).toEqual(['a/b']);
});

it('leaves only the file, private to its owner', async () => {
  const storage = await open();
  const version = await storage.create('a', Buffer.from('one'));
  await storage.replace('a', Buffer.from('two'), version);
  writeFileSync(path.join(root, 'from'), 'three', { mode: 0o644 });
  await storage.upload('a', path.join(root, 'from'));
  expect(readdirSync(storage.name)).toEqual(['a']);
  expect(statSync(path.join(storage.name, 'a')).mode & 0o777).toBe(0o600);
});

it('opens a folder for a path', () => {
  expect(openStorage(root).name).toBe(root);
});
