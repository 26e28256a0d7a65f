import { rmSync } from 'node:fs';
import path from 'node:path';
import { inParallel } from '../../base/in-parallel.js';
import { isFileFault } from '../../store/errors.js';
import type { Storage } from '../../store/storage.js';
import { findManifest, VERSIONS, type Manifest, type StoredFile, type Version } from './manifest.js';

const AT_ONCE = 4;

/** Finds missing and damaged files of the copied versions. */
export class StoredFiles {
  readonly #storage: Storage;
  /** Sizes by key. */
  readonly #sizes: ReadonlyMap<string, number>;
  /** Folder for downloads; undefined: compare only sizes. */
  readonly #folder: string | undefined;
  /** Results of `isSound` by key. */
  readonly #known = new Map<string, boolean>();
  /** Manifests by key; undefined for a missing or damaged one. */
  readonly #manifests = new Map<string, Manifest | undefined>();
  #downloads = 0;

  private constructor(storage: Storage, sizes: ReadonlyMap<string, number>, folder: string | undefined) {
    this.#storage = storage;
    this.#sizes = sizes;
    this.#folder = folder;
  }

  /**
   * Lists the files of all versions.
   * @param folder if set, `isSound` downloads each file to this folder and compares its hash. It needs space for
   * a few files. The caller removes the folder
   */
  static async list(storage: Storage, folder: string | undefined): Promise<StoredFiles> {
    const sizes = new Map<string, number>();
    for await (const { key, bytes } of storage.list(VERSIONS)) sizes.set(key, bytes);
    return new StoredFiles(storage, sizes, folder);
  }

  /** Number of files that `isSound` found missing or damaged. */
  get faulty(): number {
    return [...this.#known.values()].filter((isSound) => !isSound).length;
  }

  /** Returns whether a file exists with its size; and with its hash, if hashes are compared. */
  async isSound(file: StoredFile): Promise<boolean> {
    const known = this.#known.get(file.key);
    if (known !== undefined) return known;
    const result = this.#sizes.get(file.key) === file.bytes && (await this.#hasHash(file));
    this.#known.set(file.key, result);
    return result;
  }

  /** Reads the manifest of a version once. Undefined if it is missing or damaged. */
  async manifestOf({ manifest }: Pick<Version, 'manifest'>): Promise<Manifest | undefined> {
    if (!this.#manifests.has(manifest.key))
      this.#manifests.set(manifest.key, await findManifest(this.#storage, { manifest }));
    return this.#manifests.get(manifest.key);
  }

  /** Returns whether all files of a version are sound. */
  async isComplete(version: Version): Promise<boolean> {
    const manifest = await this.manifestOf(version);
    if (manifest === undefined) {
      this.#known.set(version.manifest.key, false);
      return false;
    }
    let isComplete = true;
    const files = [manifest.database, ...Object.values(manifest.tables).flatMap((table) => table.files)];
    await inParallel(files, AT_ONCE, async (file) => {
      if (!(await this.isSound(file))) isComplete = false;
    });
    return isComplete;
  }

  async #hasHash(file: StoredFile): Promise<boolean> {
    if (this.#folder === undefined) return true;
    const to = path.join(this.#folder, String(this.#downloads++));
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
