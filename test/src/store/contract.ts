import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isStorageError, type Reason } from '../../../src/store/errors.js';
import type { Entry, Storage } from '../../../src/store/storage.js';

/** Size of the pieces of an upload in these tests: the smallest that S3 allows. */
export const PIECE_BYTES = 5 * 2 ** 20;

const ODD_LETTERS = [` a=+&%?#!'()*~:;@$,"<>[]^\`{|}-_.é漢`.split(''), '\u{1f600}'].flat();

const bytes = (text: string): Buffer => Buffer.from(text);
const sha256 = (body: Buffer): string => createHash('sha256').update(body).digest('hex');

/** Rejects with a StorageError of this reason. */
export async function expectReason(work: Promise<unknown>, reason: Reason): Promise<void> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  expect(isStorageError(error, reason), String(error)).toBe(true);
}

async function listAll(storage: Storage, prefix: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of storage.list(prefix)) entries.push(entry);
  return entries;
}

/**
 * Tests what every storage promises.
 * @param open makes an empty storage. With `same`, opens the same files again, as another process would.
 */
export function describeStorage(name: string, open: (same?: Storage) => Promise<Storage>): void {
  describe(`a storage in ${name}`, () => {
    let storage: Storage;
    let folder: string;
    beforeEach(async () => {
      storage = await open();
      folder = mkdtempSync(path.join(tmpdir(), 'tidemark-storage-'));
    });
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it('reads what was created', async () => {
      expect(await storage.read('a/b.json')).toBeUndefined();
      const version = await storage.create('a/b.json', bytes('one'));
      expect(await storage.read('a/b.json')).toEqual({ body: bytes('one'), version });
    });

    it('keeps empty files', async () => {
      const version = await storage.create('empty', bytes(''));
      expect(await storage.read('empty')).toEqual({ body: bytes(''), version });
      expect(await storage.digest('empty')).toEqual({ bytes: 0, sha256: sha256(bytes('')) });
      expect(await storage.download('empty', path.join(folder, 'empty'))).toEqual({
        bytes: 0,
        sha256: sha256(bytes('')),
      });
    });

    it('refuses to create a file twice', async () => {
      await storage.create('a', bytes('one'));
      await expectReason(storage.create('a', bytes('two')), 'exists');
      expect((await storage.read('a'))?.body).toEqual(bytes('one'));
    });

    it('replaces only the version that the writer has read', async () => {
      const first = await storage.create('a', bytes('one'));
      const second = await storage.replace('a', bytes('two'), first);
      expect(second).not.toBe(first);
      await expectReason(storage.replace('a', bytes('three'), first), 'changed');
      expect(await storage.read('a')).toEqual({ body: bytes('two'), version: second });
    });

    it('does not replace a missing file', async () => {
      const version = await storage.create('a', bytes('one'));
      await storage.remove('a');
      await expectReason(storage.replace('a', bytes('two'), version), 'changed');
      await expectReason(storage.replace('other/a', bytes('two'), version), 'changed');
      expect(await storage.read('a')).toBeUndefined();
    });

    it('lets one of 16 writers create a file', async () => {
      const storages = await Promise.all(Array.from({ length: 16 }, () => open(storage)));
      for (let round = 0; round < 10; round++) {
        const tries = storages.map((one, i) => one.create(`race/${round}`, bytes(`writer ${i}`)));
        const results = await Promise.allSettled(tries);
        const winners = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []));
        expect(winners).toHaveLength(1);
        expect((await storage.read(`race/${round}`))?.body.toString()).toBe(`writer ${winners[0]}`);
        for (const result of results)
          if (result.status === 'rejected')
            expect(isStorageError(result.reason, 'exists'), String(result.reason)).toBe(true);
      }
    });

    it('lets one of 16 writers replace a file', async () => {
      const storages = await Promise.all(Array.from({ length: 16 }, () => open(storage)));
      let version = await storage.create('race', bytes('start'));
      for (let round = 0; round < 10; round++) {
        const tries = storages.map((one, i) => one.replace('race', bytes(`round ${round} writer ${i}`), version));
        const results = await Promise.allSettled(tries);
        const winners = results.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []));
        expect(winners).toHaveLength(1);
        for (const result of results)
          if (result.status === 'rejected')
            expect(isStorageError(result.reason, 'changed'), String(result.reason)).toBe(true);
        const now = await storage.read('race');
        expect(now?.body.toString()).toBe(`round ${round} writer ${winners[0]}`);
        version = now?.version ?? '';
      }
    });

    it('loses no step of a counter that many writers raise', async () => {
      await storage.create('counter', bytes('0'));
      const raise = async (one: Storage): Promise<void> => {
        for (;;) {
          const before = await one.read('counter');
          if (before === undefined) throw new Error('no counter');
          try {
            await one.replace('counter', bytes(String(Number(before.body.toString()) + 1)), before.version);
            return;
          } catch (error) {
            if (!isStorageError(error, 'changed')) throw error;
          }
        }
      };
      const storages = await Promise.all(Array.from({ length: 6 }, () => open(storage)));
      await Promise.all(storages.flatMap((one) => [raise(one), raise(one), raise(one)]));
      expect((await storage.read('counter'))?.body.toString()).toBe('18');
    });

    it('tells size and hash of a file, and compares them', async () => {
      await storage.create('a', bytes('0123456789'));
      const content = { bytes: 10, sha256: sha256(bytes('0123456789')) };
      expect(await storage.digest('a')).toEqual(content);
      expect(await storage.digest('a', content)).toEqual(content);
      await expectReason(storage.digest('a', { ...content, sha256: sha256(bytes('other')) }), 'damaged');
      await expectReason(storage.digest('b'), 'missing');
    });

    it('lists all files under a prefix, sorted by their bytes', async () => {
      const keys = ['a-b/1', 'a/1', 'a/10', 'a/2', 'ab', 'b/c/d/e', 'b/ü', 'b/\u{1f600}', 'b/\uff21'];
      for (const key of keys) await storage.create(key, bytes(key));
      const sorted = keys.toSorted((x, y) => Buffer.compare(bytes(x), bytes(y)));
      expect(await listAll(storage, '')).toEqual(sorted.map((key) => ({ key, bytes: Buffer.byteLength(key) })));
      expect((await listAll(storage, 'a/')).map(({ key }) => key)).toEqual(['a/1', 'a/10', 'a/2']);
      expect((await listAll(storage, 'a')).map(({ key }) => key)).toEqual(['a-b/1', 'a/1', 'a/10', 'a/2', 'ab']);
      expect((await listAll(storage, 'b/c/d')).map(({ key }) => key)).toEqual(['b/c/d/e']);
      expect(await listAll(storage, 'c')).toEqual([]);
    });

    it('removes files, and ignores missing ones', async () => {
      await storage.create('a/b', bytes('one'));
      await storage.remove('a/b');
      await storage.remove('a/b');
      await storage.remove('c/d');
      expect(await storage.read('a/b')).toBeUndefined();
      expect(await listAll(storage, '')).toEqual([]);
      await storage.create('a/b', bytes('two'));
      expect((await storage.read('a/b'))?.body).toEqual(bytes('two'));
    });

    it('keeps odd letters in keys', async () => {
      const part = fc
        .string({ unit: fc.constantFrom(...ODD_LETTERS), minLength: 1, maxLength: 12 })
        .filter((text) => !text.startsWith('.'));
      await fc.assert(
        fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 3 }), async (parts) => {
          const key = `odd/${parts.join('/')}/end`;
          await storage.create(key, bytes(key));
          expect((await storage.read(key))?.body.toString()).toBe(key);
          expect(await listAll(storage, 'odd/')).toEqual([{ key, bytes: Buffer.byteLength(key) }]);
          await storage.remove(key);
        }),
        { numRuns: 40, seed: 7 },
      );
    });

    it.each(['', '/a', 'a/', 'a//b', '.', '..', 'a/../b', 'a/.b', 'a\\b', 'a\nb', '\ud800', 'x'.repeat(300)])(
      'refuses the key %j',
      async (key) => {
        await expect(storage.create(key, bytes('x'))).rejects.toThrow('is no key of a storage');
        await expect(storage.read(key)).rejects.toThrow('is no key of a storage');
      },
    );

    it.each([0, 1_000, PIECE_BYTES, PIECE_BYTES + 1, 4 * PIECE_BYTES + 123])(
      'copies a file of %d bytes',
      async (size) => {
        const body = randomBytes(size);
        const [from, to] = [path.join(folder, 'from'), path.join(folder, 'deep/to')];
        writeFileSync(from, body);
        const content = { bytes: size, sha256: sha256(body) };
        expect(await storage.upload('large/file', from)).toEqual(content);
        expect(await listAll(storage, '')).toEqual([{ key: 'large/file', bytes: size }]);
        expect(await storage.download('large/file', to, content)).toEqual(content);
        expect(readFileSync(to).equals(body)).toBe(true);
        expect(readdirSync(path.dirname(to))).toEqual(['to']);
      },
    );

    it('replaces a file by an upload', async () => {
      const from = path.join(folder, 'from');
      for (const text of ['first', 'second']) {
        writeFileSync(from, text);
        await storage.upload('a', from);
        expect((await storage.read('a'))?.body.toString()).toBe(text);
      }
    });

    it('rejects a download with another size or hash, and keeps the earlier file', async () => {
      const to = path.join(folder, 'to');
      writeFileSync(to, 'earlier');
      await storage.create('a', bytes('text'));
      const right = { bytes: 4, sha256: sha256(bytes('text')) };
      await expectReason(storage.download('a', to, { ...right, bytes: 5 }), 'damaged');
      await expectReason(storage.download('a', to, { ...right, sha256: sha256(bytes('tixt')) }), 'damaged');
      expect(readFileSync(to, 'utf8')).toBe('earlier');
      expect(readdirSync(folder)).toEqual(['to']);
      expect(await storage.download('a', to, right)).toEqual(right);
      expect(readFileSync(to, 'utf8')).toBe('text');
    });

    it('reports a missing file to download', async () => {
      await expectReason(storage.download('a/b', path.join(folder, 'to')), 'missing');
      expect(existsSync(path.join(folder, 'to'))).toBe(false);
    });

    it('leaves no file after a failed upload', async () => {
      await expect(storage.upload('a', path.join(folder, 'none'))).rejects.toThrow('ENOENT');
      expect(await listAll(storage, '')).toEqual([]);
    });
  });
}
