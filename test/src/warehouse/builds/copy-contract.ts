import { copyFileSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { addTakenBuild, currentBuild, listBuilds, numberOf } from '../../../../src/warehouse/builds/builds.js';
import { showBuild } from '../../../../src/warehouse/builds/switch.js';
import { buildDir, fileOf } from '../../../../src/store/data-folder.js';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { quote } from '../../../../src/warehouse/duckdb/sql-files.js';
import { copyCurrentBuild, type Copied } from '../../../../src/warehouse/builds/copy-build.js';
import { buildsIn, CURRENT, LEASE, VERSIONS } from '../../../../src/warehouse/builds/manifest.js';
import type { Manifest, Pointer, Version } from '../../../../src/store/versions.js';
import { LeaseLostError, readLease } from '../../../../src/store/lease.js';
import type { Storage } from '../../../../src/store/storage.js';
import { publishNights } from '../../../helpers/nights.js';
import { prepareOnce, temporaryDataDir } from '../../../helpers/warehouse.js';
import { sha256 } from '../../../../src/base/hash.js';

const DAY = 86_400;
const copy = (storage: Storage, dataDir: string, keepSeconds = DAY): Promise<Copied> =>
  copyCurrentBuild(storage, dataDir, { keepSeconds, what: 'a test' });

const readCurrent = (storage: Storage): Promise<Pointer | undefined> => buildsIn(storage).read();
const readManifest = (storage: Storage, version: Version): Promise<Manifest> => buildsIn(storage).manifestOf(version);
/** Replaces `current.json` by this text. */
async function damage(storage: Storage, text: string): Promise<void> {
  await storage.replace(CURRENT, Buffer.from(text), (await storage.read(CURRENT))!.version);
}

async function keysOf(storage: Storage, prefix = VERSIONS): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.list(prefix)) keys.push(key);
  return keys;
}

/** Reads the version that is current in the storage as an engine does, and compares each table with the build. */
async function expectReadable(storage: Storage, dataDir: string, build: string): Promise<void> {
  const found = await readCurrent(storage);
  expect(found?.build).toBe(build);
  if (found === undefined) return;
  const { database, tables } = await readManifest(storage, found);
  const folder = temporaryDataDir();
  const file = path.join(folder, 'market.duckdb');
  await storage.download(database.key, file, database);
  expect(sha256(readFileSync(file))).toBe(sha256(readFileSync(fileOf(buildDir(dataDir, build)))));
  await withMemory('a test', async (db) => {
    await db.run(`ATTACH ${quote(file)} AS b (READ_ONLY)`);
    const names = await db.rows<{ name: string }>(
      `SELECT table_schema || '.' || table_name AS name FROM information_schema.tables WHERE table_catalog = 'b' ORDER BY 1`,
    );
    expect(Object.keys(tables).toSorted()).toEqual(names.map(({ name }) => name));
    expect(names.length).toBeGreaterThan(20);
    for (const [name, table] of Object.entries(tables)) {
      const local = await Promise.all(
        table.files.map(async (one, i) => {
          const to = path.join(folder, `${name}.${i}.parquet`);
          await storage.download(one.key, to, one);
          return to;
        }),
      );
      const parquet = `read_parquet([${local.map(quote).join(', ')}], hive_partitioning = false)`;
      const [counts] = await db.rows<{ here: string; there: string; missing: string; more: string }>(
        `SELECT (SELECT count(*) FROM b.${name}) AS here, (SELECT count(*) FROM ${parquet}) AS there,
          (SELECT count(*) FROM (FROM b.${name} EXCEPT ALL FROM ${parquet})) AS missing,
          (SELECT count(*) FROM (FROM ${parquet} EXCEPT ALL FROM b.${name})) AS more`,
      );
      expect({ name, ...counts }).toEqual({ name, here: counts?.here, there: counts?.here, missing: '0', more: '0' });
      expect(table.rows).toBe(Number(counts?.here));
      const columns = await db.rows<{ column_name: string }>(`DESCRIBE FROM b.${name}`);
      expect(table.columns.map((column) => column.name)).toEqual(columns.map((column) => column.column_name));
    }
  });
}

/** Checks that the current version is this build, and that all files are there which its manifest names. */
async function expectComplete(storage: Storage, build: string): Promise<void> {
  const found = await readCurrent(storage);
  expect(found?.build).toBe(build);
  if (found === undefined) return;
  const { database, tables } = await readManifest(storage, found);
  const there = new Map<string, number>();
  for await (const { key, bytes } of storage.list(VERSIONS)) there.set(key, bytes);
  const named = [database, ...Object.values(tables).flatMap(({ files }) => files)];
  expect(named.map(({ key, bytes }) => [key, bytes])).toEqual(named.map(({ key }) => [key, there.get(key)]));
}

/** A storage whose n-th change fails, counted from 0. With `stored`, the change is made before it fails. */
function failing(storage: Storage, at: number, stored = false): Storage & { changes: () => number } {
  let changes = 0;
  const change = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    if (key === LEASE) return work();
    const fails = changes++ === at;
    if (!fails) return work();
    if (stored) await work();
    throw new Error('the test ends here');
  };
  return {
    name: storage.name,
    changes: () => changes,
    read: (key) => storage.read(key),
    list: (prefix) => storage.list(prefix),
    download: (key, file, expected) => storage.download(key, file, expected),
    digest: (key, expected) => storage.digest(key, expected),
    create: (key, body) => change(key, () => storage.create(key, body)),
    replace: (key, body, version) => change(key, () => storage.replace(key, body, version)),
    upload: (key, file) => change(key, () => storage.upload(key, file)),
    remove: (key) => change(key, () => storage.remove(key)),
  };
}

/** Tests copies of builds to any storage. */
export function describeCopies(name: string, open: () => Promise<Storage>): void {
  describe(`copies of builds in ${name}`, () => {
    const prepared = prepareOnce(publishNights);

    it('copies a build whose lake has changes, with exactly its rows', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      const build = currentBuild(dataDir) ?? '';
      const result = await copy(storage, dataDir);
      expect(result).toMatchObject({ to: storage.name, build, reused: 0, removed: 0, pruneFault: null });
      await expectReadable(storage, dataDir, build);
    });

    it('sends nothing if the build is already current', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      await copy(storage, dataDir);
      const before = await storage.read('current.json');
      expect((await copy(storage, dataDir)).sent).toEqual({ files: 0, bytes: 0 });
      expect(await storage.read('current.json')).toEqual(before);
    });

    it.each(['a table', 'the DuckDB file', 'the manifest'])('sends %s again that is gone', async (what) => {
      const [storage, dataDir] = [await open(), prepared()];
      const { build } = await copy(storage, dataDir);
      const found = (await readCurrent(storage))!;
      const { database, tables } = await readManifest(storage, found);
      const [table] = Object.values(tables).flatMap(({ files }) => files);
      const gone = { 'a table': table, 'the DuckDB file': database, 'the manifest': found.manifest }[what]!;
      await storage.remove(gone.key);
      expect(await copy(storage, dataDir)).toMatchObject({ faulty: 1, pruneFault: null });
      await expectReadable(storage, dataDir, build);
      expect((await copy(storage, dataDir)).sent.files).toBe(0);
    });

    it.each(['', '{"format": 1, "build"', '{}', 'null'])('replaces a damaged current.json: %s', async (text) => {
      const [storage, dataDir] = [await open(), prepared()];
      const { build } = await copy(storage, dataDir);
      await damage(storage, text);
      await expect(readCurrent(storage)).rejects.toMatchObject({ reason: 'damaged' });
      const { sent, removed } = await copy(storage, dataDir);
      expect(removed).toBe(sent.files + 1);
      await expectReadable(storage, dataDir, build);
    });

    it('does not replace a damaged current.json with a build of another machine', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      const { build } = await copy(storage, dataDir);
      const other = temporaryDataDir();
      const take = async (file: string): Promise<void> => copyFileSync(fileOf(buildDir(dataDir, build)), file);
      await addTakenBuild(other, build, take, 1);
      await showBuild(other, build);
      await damage(storage, '{');
      await expect(copy(storage, other)).rejects.toThrow('does not have its Parquet files');
      await copy(storage, dataDir);
      await expectReadable(storage, dataDir, build);
    });

    it('records the order of publications, which other machines take over', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      const [last, before] = listBuilds(dataDir).map((build) => build.name);
      const numbers: (number | undefined)[] = [];
      for (const build of [last, before, last]) {
        await showBuild(dataDir, build!);
        await copy(storage, dataDir);
        numbers.push((await readCurrent(storage))?.publication);
      }
      const [of, ofBefore] = [numberOf(dataDir, last!), numberOf(dataDir, before!)];
      expect(of).toBeGreaterThan(ofBefore);
      expect(numbers).toEqual([of, ofBefore, of]);
      expect((await readCurrent(storage))?.earlier.map(({ publication }) => publication)).toEqual([ofBefore]);
    });

    it('refuses a current.json of a newer version of Tidemark', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      await copy(storage, dataDir);
      await damage(storage, '{"format": 2}');
      await expect(copy(storage, dataDir)).rejects.toThrow('this version of Tidemark cannot read current.json');
    });

    it('leaves out an earlier version whose manifest is damaged', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      const { build } = await copy(storage, dataDir);
      const { manifest } = (await readCurrent(storage))!;
      await storage.remove(manifest.key);
      await storage.create(manifest.key, Buffer.alloc(manifest.bytes));
      expect(await copy(storage, dataDir)).toMatchObject({ build, faulty: 1, pruneFault: null });
      expect((await readCurrent(storage))?.earlier).toEqual([]);
      await expectReadable(storage, dataDir, build);
    });

    it('goes back to an earlier version of the build that is complete', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      const { build } = await copy(storage, dataDir);
      const first = (await readCurrent(storage))!;
      const { database } = await readManifest(storage, first);
      const lost = await storage.read(database.key);
      await storage.remove(database.key);
      await copy(storage, dataDir);
      const second = (await readCurrent(storage))!;
      expect(second.earlier.map(({ version }) => version)).toEqual([first.version]);
      await storage.create(database.key, lost!.body);
      await storage.remove((await readManifest(storage, second)).database.key);
      expect((await copy(storage, dataDir)).sent.files).toBe(0);
      expect((await readCurrent(storage))?.version).toBe(first.version);
      await expectReadable(storage, dataDir, build);
    });

    it('does not reuse a file that is gone', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      const [newest = '', middle = ''] = listBuilds(dataDir).map((build) => build.name);
      await showBuild(dataDir, middle);
      await copy(storage, dataDir);
      const { tables } = await readManifest(storage, (await readCurrent(storage))!);
      for (const { key } of Object.values(tables).flatMap(({ files }) => files)) await storage.remove(key);
      await showBuild(dataDir, newest);
      expect((await copy(storage, dataDir)).reused).toBe(0);
      await expectReadable(storage, dataDir, newest);
    });

    it('finds a damaged file if it reads all files again', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      const { build } = await copy(storage, dataDir);
      const { tables } = await readManifest(storage, (await readCurrent(storage))!);
      const { key, bytes } = Object.values(tables).flatMap(({ files }) => files)[0]!;
      await storage.remove(key);
      await storage.create(key, Buffer.alloc(bytes));
      const check = (): Promise<Copied> =>
        copyCurrentBuild(storage, dataDir, { keepSeconds: DAY, what: 'a test', check: true });
      expect((await copy(storage, dataDir)).sent.files, 'with sizes only').toBe(0);
      expect(await check()).toMatchObject({ faulty: 1, pruneFault: null });
      await expectReadable(storage, dataDir, build);
      expect((await check()).sent.files).toBe(0);
    });

    it('reuses unchanged files, and keeps them when it removes old versions', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      const [newest, middle] = listBuilds(dataDir).map((build) => build.name);
      await showBuild(dataDir, middle ?? '');
      const first = await copy(storage, dataDir);
      await showBuild(dataDir, newest ?? '');
      const second = await copy(storage, dataDir);
      expect(second.reused).toBeGreaterThan(10);
      expect(second.sent.files).toBeLessThan(first.sent.files / 2);
      await expectComplete(storage, newest ?? '');
      const current = await readCurrent(storage);
      const { tables } = await readManifest(storage, current!);
      const files = Object.values(tables).flatMap((table) => table.files);
      expect(second.reused + second.sent.files).toBe(files.length + ['the DuckDB file'].length);
      expect(current?.earlier.map((version) => version.build)).toEqual([middle]);
      expect(await readManifest(storage, current?.earlier[0] as never)).toMatchObject({ build: middle });
      const third = await copy(storage, dataDir, 0);
      expect(third.removed).toBeGreaterThan(1);
      await expectReadable(storage, dataDir, newest ?? '');
      expect((await keysOf(storage)).some((key) => key.startsWith(`${VERSIONS}${middle}`))).toBe(true);
    });

    it('goes back to a kept version without a new copy', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      const [newest, middle] = listBuilds(dataDir).map((build) => build.name);
      for (const build of [middle, newest]) {
        await showBuild(dataDir, build ?? '');
        await copy(storage, dataDir);
      }
      await showBuild(dataDir, middle ?? '');
      expect((await copy(storage, dataDir)).sent.files).toBe(0);
      await expectComplete(storage, middle ?? '');
      const current = await readCurrent(storage);
      expect(current?.earlier.map((version) => version.build)).toEqual([newest]);
    });

    it('leaves one complete version after two copies at the same time', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      const other = prepared();
      const [, middle = ''] = listBuilds(other).map((build) => build.name);
      await showBuild(other, middle);
      await Promise.all([copy(storage, dataDir), copy(storage, other)]);
      const current = await readCurrent(storage);
      const mine = current?.build === currentBuild(dataDir);
      await expectComplete(storage, current?.build ?? '');
      expect(current?.earlier.map((version) => version.build)).toEqual([mine ? middle : currentBuild(dataDir)]);
    });

    it('does not switch readers after it lost the lease', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      const robbed: Storage = {
        ...failing(storage, -1),
        async create(key, body) {
          // Another process takes the lease while this one is paused.
          if (key.endsWith('manifest.json')) {
            const lease = await storage.read(LEASE);
            const state = { ...(JSON.parse(String(lease?.body)) as object), token: 9, id: 'another' };
            await storage.replace(LEASE, Buffer.from(JSON.stringify(state)), lease?.version ?? '');
          }
          return storage.create(key, body);
        },
      };
      await expect(copy(robbed, dataDir)).rejects.toThrow(LeaseLostError);
      expect(await readCurrent(storage)).toBeUndefined();
    });

    it('gives higher tokens than all versions have, after the file of the lease was removed', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      await copy(storage, dataDir);
      for (const removed of [[LEASE], [LEASE, CURRENT], [LEASE]]) {
        const tokens = (await keysOf(storage)).map((key) => Number(/\.(\d+)\//.exec(key)?.[1]));
        for (const key of removed) await storage.remove(key);
        await copy(storage, dataDir);
        expect((await readLease(storage, LEASE))?.token).toBeGreaterThan(Math.max(...tokens));
      }
    });

    it('reports a data folder without a build', async () => {
      const dataDir = temporaryDataDir();
      await expect(copy(await open(), dataDir)).rejects.toThrow(/publish/i);
      rmSync(dataDir, { recursive: true, force: true });
    });

    it('refuses a damaged manifest', async () => {
      const [storage, dataDir] = [await open(), prepared()];
      await copy(storage, dataDir);
      const current = await readCurrent(storage);
      const key = current?.manifest.key ?? '';
      const manifest = await storage.read(key);
      await storage.replace(
        key,
        Buffer.from(String(manifest?.body).replace('"rows": ', '"rows": 1')),
        manifest?.version ?? '',
      );
      await expect(readManifest(storage, current as never)).rejects.toThrow('does not match the hash');
    });
  });
}

/** Tests a failure at each change of a copy, before and after the change is made. `every`: only each such change. */
export function describeFailures(name: string, open: () => Promise<Storage>, every = 1): void {
  describe(`failed copies of builds in ${name}`, () => {
    const prepared = prepareOnce(publishNights);

    it('leaves readers on the old version after a failure at any step', async () => {
      const dataDir = prepared();
      const [newest = '', middle = ''] = listBuilds(dataDir).map((build) => build.name);
      const counted = failing(await open(), -1);
      for (const build of [middle, newest]) {
        await showBuild(dataDir, build);
        await copy(counted, dataDir, build === newest ? 0 : DAY);
      }
      const steps = counted.changes();
      await showBuild(dataDir, middle);
      const first = failing(await open(), -1);
      await copy(first, dataDir);
      let refused = 0;
      for (let at = 0; at < steps - first.changes(); at += every) {
        for (const stored of [false, true]) {
          const storage = await open();
          await showBuild(dataDir, middle);
          await copy(storage, dataDir);
          await showBuild(dataDir, newest);
          const error = await copy(failing(storage, at, stored), dataDir, 0).then(
            ({ pruneFault }) => pruneFault,
            (thrown: unknown) => (thrown as Error).message,
          );
          expect(error).toBe('the test ends here');
          const seen = (await readCurrent(storage))?.build ?? '';
          if (seen === middle) refused++;
          await expectComplete(storage, seen);
          await copy(storage, dataDir, 0);
          await copy(storage, dataDir, 0);
          await expectComplete(storage, newest);
          expect((await copy(storage, dataDir, 0)).removed).toBe(0);
        }
      }
      expect(refused).toBeGreaterThan(0);
    });
  });
}
