import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Data, Listed } from '../data.js';
import { identityFile, workingCopyFile } from '../data-folder.js';
import { TidemarkError } from '../../base/errors.js';
import { writeFileAtomic, writeFileOnce } from '../files.js';
import { inParallel } from '../../base/in-parallel.js';
import { isStorageError } from '../errors.js';
import { compareKeys } from '../keys.js';
import type { Lease } from '../lease.js';
import type { Content, Storage } from '../storage.js';
import { sha256OfFile } from '../../base/hash.js';

/*
 * The data folder of a machine, as a working copy of the data in a bucket (`data: s3://…`).
 *
 * - The key of a file is its path in the data folder.
 * - A step of a run takes the files that it reads, works on local files, and gives the files that it made. Temporal
 *   records the step as done only after that. So another machine can do the next step.
 * - A file that decides something is given with `claim`: of several machines, the first one wins, and all others take
 *   its file.
 * - A lost working copy costs only what its running steps had not given yet.
 */

const Identity = z.looseObject({ id: z.string().regex(/^[0-9a-f]{8}$/), of: z.string() });

/** Number of files that are taken at the same time. */
const AT_ONCE = 16;

export class WorkingCopy implements Data {
  readonly storage: Storage;
  readonly dataDir: string;
  /** Identifies this working copy among those of other machines: 8 hex digits. */
  readonly id: string;
  /** The lease of the warehouse, after this process has become its writer. */
  writing: Lease | undefined;

  private constructor(storage: Storage, dataDir: string, id: string) {
    this.storage = storage;
    this.dataDir = dataDir;
    this.id = id;
  }

  /**
   * Opens the working copy in a folder. Gives a new folder an identity.
   * @throws TidemarkError `InvalidConfig` when the folder holds data itself, or is the working copy of other data
   */
  static async open(storage: Storage, dataDir: string): Promise<WorkingCopy> {
    const file = workingCopyFile(dataDir);
    const identity = { id: randomUUID().slice(0, 8), of: storage.name };
    // In a working copy, this file is older than `folder.json`. So look for `folder.json` first.
    const holdsData = existsSync(identityFile(dataDir));
    if (!existsSync(file)) {
      if (holdsData) throw ownData(dataDir, storage);
      await writeFileOnce(file, `${JSON.stringify(identity)}\n`);
    }
    const { id, of } = Identity.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (of !== storage.name) {
      throw new TidemarkError(
        'InvalidConfig',
        `The folder ${dataDir} is a working copy of ${of}, not of ${storage.name}.`,
        {
          todo: 'Set TIDEMARK_STORAGE_FOLDER to another folder, or correct `data`.',
        },
      );
    }
    return new WorkingCopy(storage, dataDir, id);
  }

  /** Returns the key of a file in the data folder. */
  keyOf(file: string): string {
    return path.relative(this.dataDir, file).split(path.sep).join('/');
  }

  /** Returns the path of a key's file in the data folder. */
  fileOf(key: string): string {
    return path.join(this.dataDir, ...key.split('/'));
  }

  async claim(file: string, content: string | Uint8Array): Promise<boolean> {
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

  async give(file: string): Promise<void> {
    await this.storage.upload(this.keyOf(file), file);
  }

  /**
   * Takes a file of any size whose content is known, unless it is here.
   * @param key where the storage has it. Default: the file's path
   */
  async takeContent(file: string, expected: Content, key = this.keyOf(file)): Promise<void> {
    if (!(await hasContent(file, expected))) await this.storage.download(key, file, expected);
  }

  async take(file: string): Promise<void> {
    const found = await this.storage.read(this.keyOf(file));
    if (found !== undefined) await writeIfOther(file, found.body);
  }

  async refresh(file: string): Promise<boolean> {
    const found = await this.storage.read(this.keyOf(file));
    if (found === undefined) rmSync(file, { force: true });
    else await writeIfOther(file, found.body);
    return found !== undefined;
  }

  async refreshFolder(folder: string, here: readonly string[]): Promise<void> {
    const there = (await this.listGiven(folder)).map(({ file }) => file);
    await this.all([...new Set([...there, ...here])], async (file) => {
      await this.refresh(file);
    });
  }

  async remove(file: string): Promise<void> {
    await this.storage.remove(this.keyOf(file));
    rmSync(file, { force: true });
  }

  /**
   * Lists twice: one list may be an earlier one that lacks files. A file that is removed meanwhile may be listed.
   * @param folder default: all files
   */
  async listGiven(folder = this.dataDir): Promise<Listed[]> {
    const key = this.keyOf(folder);
    const found = new Map<string, number>();
    for (let look = 1; look <= 2; look++)
      for await (const entry of this.storage.list(key === '' ? '' : `${key}/`)) found.set(entry.key, entry.bytes);
    return [...found]
      .toSorted(([a], [b]) => compareKeys(a, b))
      .map(([name, bytes]) => ({ file: this.fileOf(name), bytes }));
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

/** A working copy removes files that the bucket has, so it must not begin in a folder with the only copy of data. */
function ownData(dataDir: string, { name }: Storage): TidemarkError {
  return new TidemarkError(
    'InvalidConfig',
    `The folder ${dataDir} holds data itself, so it cannot become a working copy of ${name}.`,
    {
      todo: 'Set TIDEMARK_STORAGE_FOLDER to a new folder. `tidemark data copy` copies the data of the old folder to the bucket.',
    },
  );
}
