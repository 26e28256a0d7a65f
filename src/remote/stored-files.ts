import { rmSync } from 'node:fs';
import path from 'node:path';
import { inParallel } from '../core/in-parallel.js';
import { isFileFault } from '../storage/errors.js';
import type { Storage } from '../storage/storage.js';
import { readManifest, VERSIONS, type Manifest, type StoredFile, type Version } from './manifest.js';

const AT_ONCE = 4;

/** Finds out which files of the copied versions are whole. */
export class StoredFiles {
  readonly #storage: Storage;
  /** Sizes by key. */
  readonly #sizes: ReadonlyMap<string, number>;
  /** Folder for downloads; undefined: compare only sizes. */
  readonly #folder: string | undefined;
  /** Keys of files whose hash was compared, and the result. */
  readonly #compared = new Map<string, boolean>();
  #downloads = 0;

  private constructor(storage: Storage, sizes: ReadonlyMap<string, number>, folder: string | undefined) {
    this.#storage = storage;
    this.#sizes = sizes;
    this.#folder = folder;
  }

  /**
   * Lists the files of all versions.
   * @param folder if set, `isWhole` downloads each file to this folder and compares its hash
   */
  static async list(storage: Storage, folder: string | undefined): Promise<StoredFiles> {
    const sizes = new Map<string, number>();
    for await (const { key, bytes } of storage.list(VERSIONS)) sizes.set(key, bytes);
    return new StoredFiles(storage, sizes, folder);
  }

  /** Returns whether a file is there and has its size; and its hash, if hashes are compared. */
  async isWhole(file: StoredFile): Promise<boolean> {
    if (this.#sizes.get(file.key) !== file.bytes) return false;
    if (this.#folder === undefined) return true;
    const known = this.#compared.get(file.key);
    if (known !== undefined) return known;
    const result = await this.#compare(file, path.join(this.#folder, String(this.#downloads++)));
    this.#compared.set(file.key, result);
    return result;
  }

  /** Reads the manifest of a version. Undefined if it is missing or damaged. */
  async manifestOf(version: Pick<Version, 'manifest'>): Promise<Manifest | undefined> {
    try {
      return await readManifest(this.#storage, version);
    } catch (error) {
      if (isFileFault(error)) return undefined;
      throw error;
    }
  }

  /** Counts the files of a version that are missing or damaged. If its manifest is, counts only the manifest. */
  async countFaulty(version: Version): Promise<number> {
    const manifest = await this.manifestOf(version);
    if (manifest === undefined) return 1;
    let faulty = 0;
    const files = [manifest.database, ...Object.values(manifest.tables).flatMap((table) => table.files)];
    await inParallel(files, AT_ONCE, async (file) => {
      if (!(await this.isWhole(file))) faulty++;
    });
    return faulty;
  }

  async #compare(file: StoredFile, to: string): Promise<boolean> {
    try {
      await this.#storage.download(file.key, to, file);
      return true;
    } catch (error) {
      if (isFileFault(error)) return false;
      throw error;
    } finally {
      rmSync(to, { force: true });
    }
  }
}
