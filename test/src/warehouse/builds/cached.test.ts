import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { publishedFile } from '../../../../src/store/data-folder.js';
import { fetchCurrent } from '../../../../src/warehouse/builds/cached.js';
import { CURRENT } from '../../../../src/warehouse/builds/manifest.js';
import { encode } from '../../../../src/store/versions.js';
import { LocalFolder } from '../../../../src/store/local-folder.js';
import { expectReason } from '../../store/contract.js';
import { temporaryDataDir } from '../../../helpers/warehouse.js';
import { sha256 } from '../../../../src/base/hash.js';

/** Writes a version with this text as its DuckDB file, and makes it current. */
async function put(storage: LocalFolder, version: string, text: string): Promise<void> {
  const database = { key: `${version}/market.duckdb`, bytes: text.length, sha256: sha256(Buffer.from(text)) };
  const manifest = encode({ format: 1, build: version, database, tables: {} });
  await storage.create(database.key, Buffer.from(text));
  await storage.create(`${version}/manifest.json`, manifest);
  const before = await storage.read(CURRENT);
  const current = encode({
    format: 1,
    token: 1,
    build: version,
    version,
    manifest: { key: `${version}/manifest.json`, bytes: manifest.length, sha256: sha256(manifest) },
    publication: 1,
    published_at: '2026-11-20T04:00:00.000Z',
    earlier: [],
  });
  if (before === undefined) await storage.create(CURRENT, current);
  else await storage.replace(CURRENT, current, before.version);
}

function folders(): { storage: LocalFolder; cache: string } {
  const root = temporaryDataDir();
  return { storage: new LocalFolder(path.join(root, 'shared')), cache: path.join(root, 'cache') };
}

it('downloads each version once, and follows new versions', async () => {
  const { storage, cache } = folders();
  await put(storage, 'v=1', 'first');
  const sizes: number[] = [];
  const fetch = () => fetchCurrent(storage, cache, (bytes) => sizes.push(bytes));
  expect((await fetch()).downloaded).toBe(5);
  const again = await fetch();
  expect(again).toMatchObject({ build: 'v=1', downloaded: 0 });
  expect(readFileSync(publishedFile(again.dataDir), 'utf8')).toBe('first');
  await put(storage, 'v=2', 'second');
  const next = await fetch();
  expect(readFileSync(publishedFile(next.dataDir), 'utf8')).toBe('second');
  expect(sizes).toEqual([5, 6]);
});

it('keeps two versions, and leaves other storages alone', async () => {
  const { storage, cache } = folders();
  mkdirSync(path.join(cache, 'other'), { recursive: true });
  for (const n of [1, 2, 3, 4]) {
    await put(storage, `v=${n}`, `text ${n}`);
    await fetchCurrent(storage, cache);
  }
  const [folder = ''] = readdirSync(cache).filter((name) => name !== 'other');
  expect(readdirSync(path.join(cache, folder)).toSorted()).toEqual(['v=3', 'v=4']);
  expect(readdirSync(cache)).toHaveLength(2);
});

it('rejects a damaged file, and downloads it again', async () => {
  const { storage, cache } = folders();
  await put(storage, 'v=1', 'first');
  const file = path.join(storage.name, 'v=1', 'market.duckdb');
  writeFileSync(file, 'fArst');
  await expectReason(fetchCurrent(storage, cache), 'damaged');
  writeFileSync(file, 'first');
  expect((await fetchCurrent(storage, cache)).downloaded).toBe(5);
});

it('refuses a version whose name is a path', async () => {
  const { storage, cache } = folders();
  const current = { format: 1, token: 1, build: 'x', version: 'v=1/../..', published_at: '', earlier: [] };
  const manifest = { key: 'v=1/manifest.json', bytes: 1, sha256: 'x' };
  await storage.create(CURRENT, Buffer.from(JSON.stringify({ ...current, manifest })));
  await expect(fetchCurrent(storage, cache)).rejects.toThrow('cannot read current.json');
});

it('reports a storage without a build', async () => {
  const { storage, cache } = folders();
  await expectReason(fetchCurrent(storage, cache), 'missing');
});
