import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { sha256OfFile } from '../base/hash.js';
import { inParallel } from '../base/in-parallel.js';
import { isStorageError } from './errors.js';
import { writeFileAtomic, writeFileOnce } from './files.js';
import { compareKeys } from './keys.js';
import type { Lease } from './lease.js';
import type { Content, Storage } from './storage.js';

/** A file that another machine has given: its path here, and its size. */
export interface Listed {
  file: string;
  bytes: number;
}

/** Data that several machines share in a bucket. */
export type SharedData = Data & { readonly storage: Storage };

/** Number of files that are taken at the same time. */
const AT_ONCE = 16;
const SECRET_BYTES = 32;

/**
 * The data of this machine: files below a folder. If several machines share the data in a bucket, a step takes the files
 * that it reads, works on local files, and gives the files that it made. Temporal records the step as done only after
 * that, so another machine can do the next step. If the folder holds the data itself, there is nothing to take or
 * give.
 */
export class Data {
  /** The folder. With the data in a bucket, the working copy of this machine. */
  readonly dataDir: string;
  /** The bucket that holds the data; undefined if the folder holds it. The key of a file is its path in the folder. */
  readonly storage: Storage | undefined;
  /** Identifies this working copy among those of other machines: 8 hex digits. Empty without a bucket. */
  readonly id: string;
  /** The lease of the warehouse in the bucket, after this process has become its writer. */
  writing: Lease | undefined;

  constructor(dataDir: string, storage?: Storage, id = '') {
    this.dataDir = dataDir;
    this.storage = storage;
    this.id = id;
  }

  /** Whether several machines share the data in a bucket. */
  isShared(): this is SharedData {
    return this.storage !== undefined;
  }

  /** Returns the key of a file in the data folder. */
  keyOf(file: string): string {
    return path.relative(this.dataDir, file).split(path.sep).join('/');
  }

  /** Takes the current content of a small file. Keeps the file here if no machine has given one. */
  async take(file: string): Promise<void> {
    const found = await this.storage?.read(this.keyOf(file));
    if (found !== undefined) await writeIfOther(file, found.body);
  }

  /**
   * Takes a file of any size whose content is known, unless it is here.
   * @param key where the storage has it. Default: the file's path
   */
  async takeContent(file: string, expected: Content, key = this.keyOf(file)): Promise<void> {
    if (this.isShared() && !(await hasContent(file, expected))) await this.storage.download(key, file, expected);
  }

  /**
   * Takes the current content of a small file that may change. Removes the file here if it is gone.
   * @returns whether there is such a file
   */
  async refresh(file: string): Promise<boolean> {
    if (!this.isShared()) return existsSync(file);
    const found = await this.storage.read(this.keyOf(file));
    if (found === undefined) await rm(file, { force: true });
    else await writeIfOther(file, found.body);
    return found !== undefined;
  }

  /** Takes the current content of all small files in a folder. Removes those of `here` that are gone. */
  async refreshFolder(folder: string, here: readonly string[]): Promise<void> {
    const there = (await this.listGiven(folder)).map(({ file }) => file);
    await this.all(new Set([...there, ...here]), async (file) => {
      await this.refresh(file);
    });
  }

  /** Gives the current content of a file that may change. If several machines give it, the last one wins. */
  async give(file: string): Promise<void> {
    await this.storage?.upload(this.keyOf(file), file);
  }

  /**
   * Writes a file and gives it, unless it exists already. Of several processes and machines, the first one wins, and all
   * others have its file afterwards.
   * @returns whether the file has this content
   */
  async claim(file: string, content: string | Uint8Array): Promise<boolean> {
    if (!this.isShared()) return writeFileOnce(file, content);
    const [key, body] = [this.keyOf(file), Buffer.from(content)];
    try {
      await this.storage.create(key, body);
    } catch (error) {
      if (!isStorageError(error, 'exists')) throw error;
      const theirs = await this.storage.read(key);
      if (theirs === undefined) throw error;
      await writeFileAtomic(file, theirs.body);
      return theirs.body.equals(body);
    }
    await writeIfOther(file, body);
    return true;
  }

  /** Makes a file with a random secret (32 bytes in hex), unless there is one. It is the same on all machines. */
  async shareSecret(file: string): Promise<void> {
    if (existsSync(file) || (await this.refresh(file))) return;
    await this.claim(file, `${randomBytes(SECRET_BYTES).toString('hex')}\n`);
  }

  /** Removes a file, for all machines. Does nothing if there is none. */
  async remove(file: string): Promise<void> {
    await this.storage?.remove(this.keyOf(file));
    await rm(file, { force: true });
  }

  /** Removes a file here, if the bucket keeps it. */
  async drop(file: string): Promise<void> {
    if (this.isShared()) await rm(file, { force: true });
  }

  /**
   * Lists the files that machines have given below a folder. None if the folder itself holds the data. Lists twice: one
   * list may be an earlier one that lacks files. A file that is removed meanwhile may be listed.
   * @param folder default: all files
   */
  async listGiven(folder = this.dataDir): Promise<Listed[]> {
    if (!this.isShared()) return [];
    const key = this.keyOf(folder);
    const found = new Map<string, number>();
    for (let look = 1; look <= 2; look++)
      for await (const entry of this.storage.list(key === '' ? '' : `${key}/`)) found.set(entry.key, entry.bytes);
    return [...found]
      .toSorted(([a], [b]) => compareKeys(a, b))
      .map(([name, bytes]) => ({ file: path.join(this.dataDir, ...name.split('/')), bytes }));
  }

  /** Runs `work` for every item, several at a time. */
  async all<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
    await inParallel(items, AT_ONCE, work);
  }
}

async function writeIfOther(file: string, content: Uint8Array): Promise<void> {
  if (!existsSync(file) || !readFileSync(file).equals(content)) await writeFileAtomic(file, content);
}

/** Whether a file is here with this content. Another process may remove it meanwhile. */
async function hasContent(file: string, { bytes, sha256 }: Content): Promise<boolean> {
  if (statSync(file, { throwIfNoEntry: false })?.size !== bytes) return false;
  return (await sha256OfFile(file).catch(() => null)) === sha256;
}
