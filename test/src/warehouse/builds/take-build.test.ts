import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { buildDir, publishedFile } from '../../../../src/store/data-folder.js';
import { listBuilds } from '../../../../src/warehouse/builds/builds.js';
import { fetchCurrent } from '../../../../src/warehouse/builds/take-build.js';
import { CURRENT } from '../../../../src/warehouse/builds/manifest.js';
import { encode } from '../../../../src/store/versions.js';
import { LocalFolder } from '../../../../src/store/local-folder.js';
import { expectReason } from '../../store/contract.js';
import { temporaryDataDir } from '../../../helpers/warehouse.js';
import { sha256 } from '../../../../src/base/hash.js';

const nameOf = (night: number): string => `2026112${night}T040000000Z-r`;

/** Writes a version of a build with this text as its DuckDB file, and makes it current. */
async function put(storage: LocalFolder, build: string, text: string): Promise<void> {
  const version = `v=${build}.1`;
  const database = { key: `${version}/market.duckdb`, bytes: text.length, sha256: sha256(Buffer.from(text)) };
  const manifest = encode({ format: 1, build, database, tables: {} });
  await storage.create(database.key, Buffer.from(text));
  await storage.create(`${version}/manifest.json`, manifest);
  const before = await storage.read(CURRENT);
  const current = encode({
    format: 1,
    token: 1,
    build,
    version,
    manifest: { key: `${version}/manifest.json`, bytes: manifest.length, sha256: sha256(manifest) },
    publication: Number(build[7]),
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

it('downloads each build once, and follows new ones', async () => {
  const { storage, cache } = folders();
  await put(storage, nameOf(1), 'first');
  const sizes: number[] = [];
  const fetch = () => fetchCurrent(storage, cache, (bytes) => sizes.push(bytes));
  await fetch();
  const again = await fetch();
  expect(again.build).toBe(nameOf(1));
  expect(readFileSync(publishedFile(again.dataDir), 'utf8')).toBe('first');
  await put(storage, nameOf(2), 'second');
  const next = await fetch();
  expect(readFileSync(publishedFile(next.dataDir), 'utf8')).toBe('second');
  expect(sizes).toEqual([5, 6]);
});

it('keeps two builds after the grace time, and leaves other storages alone', async () => {
  const { storage, cache } = folders();
  mkdirSync(path.join(cache, 'other'), { recursive: true });
  const ago = new Date(Date.now() - 3_600_000);
  let dataDir = '';
  for (const night of [1, 2, 3, 4]) {
    await put(storage, nameOf(night), `text ${night}`);
    ({ dataDir } = await fetchCurrent(storage, cache));
    for (const { name, current } of listBuilds(dataDir)) if (!current) utimesSync(buildDir(dataDir, name), ago, ago);
  }
  expect(listBuilds(dataDir).map(({ name }) => name)).toEqual([nameOf(4), nameOf(3)]);
  expect(readdirSync(cache)).toHaveLength(2);
});

it('rejects a damaged file, and downloads it again', async () => {
  const { storage, cache } = folders();
  await put(storage, nameOf(1), 'first');
  const file = path.join(storage.name, `v=${nameOf(1)}.1`, 'market.duckdb');
  writeFileSync(file, 'fArst');
  await expectReason(fetchCurrent(storage, cache), 'damaged');
  writeFileSync(file, 'first');
  expect(readFileSync(publishedFile((await fetchCurrent(storage, cache)).dataDir), 'utf8')).toBe('first');
});

it('refuses a build whose name is a path', async () => {
  const { storage, cache } = folders();
  const current = {
    format: 1,
    token: 1,
    build: '../..',
    version: 'v=1',
    publication: 1,
    published_at: '',
    earlier: [],
  };
  const manifest = { key: 'v=1/manifest.json', bytes: 1, sha256: 'x' };
  await storage.create(CURRENT, Buffer.from(JSON.stringify({ ...current, manifest })));
  await expect(fetchCurrent(storage, cache)).rejects.toThrow('cannot read current.json');
});

it('reports a storage without a build', async () => {
  const { storage, cache } = folders();
  await expectReason(fetchCurrent(storage, cache), 'missing');
});
