import { constants, writeFileSync, type Dirent } from 'node:fs';
import { chmod, copyFile, readdir, readFile, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { hasErrorCode } from '../base/errors.js';
import { sha256, sha256OfFile } from '../base/hash.js';
import { asDiskError } from './disk-errors.js';
import { placeFile, syncFile, syncFolder, writeFileOnce } from './files.js';
import { LockLostError, withLock } from './lock/lock.js';
import { checkContent, storageError } from './errors.js';
import { checkKey, compareKeys } from './keys.js';
import type { Content, Entry, Storage, Stored } from './storage.js';

const POLL_MS = 10;

/**
 * Keeps files in a folder; the key is the path below it. Several machines may share the folder through a network file
 * system. New files have the mode 0600. Names that begin with a dot are temporary files and locks, and are not listed.
 */
export class LocalFolder implements Storage {
  readonly name: string;

  constructor(folder: string) {
    this.name = path.resolve(folder);
  }

  async read(key: string): Promise<Stored | undefined> {
    const body = await readIfAny(this.#file(key));
    return body === undefined ? undefined : { body, version: sha256(body) };
  }

  async *list(prefix: string): AsyncGenerator<Entry> {
    yield* this.#listFolder('', prefix);
  }

  async create(key: string, body: Uint8Array): Promise<string> {
    if (!(await writeFileOnce(this.#file(key), body))) throw storageError('exists', this, key, 'exists already');
    return sha256(body);
  }

  async replace(key: string, body: Uint8Array, version: string): Promise<string> {
    const file = this.#file(key);
    const changed = () => storageError('changed', this, key, 'was changed by another process');
    const check = async (): Promise<void> => {
      const before = await readIfAny(file);
      if (before === undefined || sha256(before) !== version) throw changed();
    };
    // Most writers have lost already, and need no lock.
    await check();
    const lock = path.join(path.dirname(file), `.${path.basename(file)}.lock`);
    return withLock(lock, { what: `a change of ${key}`, pollMs: POLL_MS }, async (held) => {
      await check();
      try {
        held.put(file, (temporary) => writeFileSync(temporary, body, { mode: 0o600, flush: true }));
        await syncFolder(path.dirname(file));
      } catch (error) {
        // The lock was lost before the rename, so this process changed nothing.
        throw error instanceof LockLostError ? changed() : asDiskError(error, file);
      }
      return sha256(body);
    });
  }

  async upload(key: string, file: string): Promise<Content> {
    return copyWhole(file, this.#file(key));
  }

  async download(key: string, file: string, expected?: Content): Promise<Content> {
    const check = (found: Content): void => checkContent(found, expected, this, key);
    return this.#existing(key, copyWhole(this.#file(key), file, check));
  }

  async digest(key: string, expected?: Content): Promise<Content> {
    const found = await this.#existing(key, contentOf(this.#file(key)));
    checkContent(found, expected, this, key);
    return found;
  }

  async remove(key: string): Promise<void> {
    const file = this.#file(key);
    try {
      await unlink(file);
    } catch (error) {
      if (!isMissing(error)) throw error;
      return;
    }
    await syncFolder(path.dirname(file));
  }

  /** Lists in the order of the keys: a folder sorts by its name with a slash. */
  async *#listFolder(folder: string, prefix: string): AsyncGenerator<Entry> {
    const keys: string[] = [];
    for (const entry of await readFolder(path.join(this.name, folder))) {
      if (entry.name.startsWith('.')) continue;
      const key = `${folder}${entry.name}`;
      const target = entry.isSymbolicLink() ? await stat(path.join(this.name, key)).catch(ignoreMissing) : entry;
      if (target !== undefined) keys.push(target.isDirectory() ? `${key}/` : key);
    }
    for (const key of keys.toSorted(compareKeys)) {
      if (key.endsWith('/')) {
        if (key.startsWith(prefix) || prefix.startsWith(key)) yield* this.#listFolder(key, prefix);
      } else if (key.startsWith(prefix)) {
        const found = await stat(path.join(this.name, key)).catch(ignoreMissing);
        if (found !== undefined) yield { key, bytes: found.size };
      }
    }
  }

  #file(key: string): string {
    checkKey(key);
    return path.join(this.name, key);
  }

  async #existing<T>(key: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw isMissing(error) ? storageError('missing', this, key, 'does not exist', error) : error;
    }
  }
}

/** @param check sees size and hash before the copy gets its name */
async function copyWhole(from: string, to: string, check?: (found: Content) => void): Promise<Content> {
  await stat(from);
  return placeFile(to, async (temporary) => {
    await copyFile(from, temporary, constants.COPYFILE_FICLONE);
    await chmod(temporary, 0o600);
    await syncFile(temporary);
    const found = await contentOf(temporary);
    check?.(found);
    return found;
  });
}

async function contentOf(file: string): Promise<Content> {
  return { bytes: (await stat(file)).size, sha256: await sha256OfFile(file) };
}

async function readIfAny(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch(ignoreMissing);
}

async function readFolder(folder: string): Promise<Dirent[]> {
  return (await readdir(folder, { withFileTypes: true }).catch(ignoreMissing)) ?? [];
}

function isMissing(error: unknown): boolean {
  return hasErrorCode(error, 'ENOENT') || hasErrorCode(error, 'ENOTDIR');
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
