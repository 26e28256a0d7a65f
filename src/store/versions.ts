import { z } from 'zod';
import { TidemarkError } from '../base/errors.js';
import { sha256 } from '../base/hash.js';
import { inParallel } from '../base/in-parallel.js';
import { isFileFault, storageError } from './errors.js';
import type { Storage } from './storage.js';

/*
 * Versions of a DuckDB file and its Parquet files in a storage, for other machines. A pointer names the version that
 * readers use, and earlier versions that are still there. The folder `<folder><build>.<token>` holds one version: a
 * manifest, and the files that the version before lacks. Its files never change. `publishVersion` writes versions.
 */

const StoredFile = z.object({ key: z.string(), bytes: z.int().nonnegative(), sha256: z.string() });
/** A file in a storage, with its content. The key is relative to the storage. */
export type StoredFile = z.infer<typeof StoredFile>;

const StoredTable = z.object({
  rows: z.int().nonnegative(),
  /** Names and DuckDB types, in order. */
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  /** Together, these files have exactly the rows of the table. */
  files: z.array(StoredFile.extend({ rows: z.int().nonnegative() })),
});
export type StoredTable = z.infer<typeof StoredTable>;

const Manifest = z.object({
  format: z.literal(1),
  build: z.string(),
  database: StoredFile,
  tables: z.record(z.string(), StoredTable),
});
/** All files of one version. */
export type Manifest = z.infer<typeof Manifest>;

const Version = z.object({
  // On other machines, a folder has this name. So it must not lead out of a folder.
  build: z.string().regex(/^\w[\w.-]*$/),
  version: z.string(),
  manifest: StoredFile,
  /** Number of the build: a later publication has a higher one. */
  publication: z.int().nonnegative(),
});
/** A version: the build that it holds, its folder, its manifest, and the number of its build. */
export type Version = z.infer<typeof Version>;

const Pointer = Version.extend({
  format: z.literal(1),
  /** Fencing token of the process that wrote this file. */
  token: z.int(),
  published_at: z.string(),
  /** Replaced versions that are still there, newest first. */
  earlier: z.array(Version.extend({ replaced_at: z.string() })),
});
/** Content of a pointer. */
export type Pointer = z.infer<typeof Pointer>;

/** Where versions are in a storage. */
export interface Keys {
  /** Key of the pointer. */
  pointer: string;
  /** Key of the lease of the process that publishes. */
  lease: string;
  /** Beginning of the keys of all versions. */
  folder: string;
}

const READ_AT_ONCE = 4;

/** The versions in a storage. */
export class Versions {
  readonly storage: Storage;
  readonly keys: Keys;
  /** Sound manifests by key. They never change. */
  readonly #manifests = new Map<string, Manifest>();

  constructor(storage: Storage, keys: Keys) {
    this.storage = storage;
    this.keys = keys;
  }

  /** Reads the pointer, with its version for `replace`. Has no `current` if the file is damaged. */
  async find(): Promise<{ current: Pointer | undefined; version: string } | undefined> {
    const { pointer } = this.keys;
    const found = await this.storage.read(pointer);
    if (found === undefined) return undefined;
    const { body, version } = found;
    return { current: hasFormat(body) ? this.#parse(Pointer, body, pointer) : undefined, version };
  }

  /**
   * Reads the pointer. Undefined before the first publication.
   * @throws StorageError `damaged`
   */
  async read(): Promise<Pointer | undefined> {
    const found = await this.find();
    if (found !== undefined && found.current === undefined)
      throw storageError('damaged', this.storage, this.keys.pointer, 'is damaged');
    return found?.current;
  }

  /** Finds the highest token of a holder of the lease, in the pointer and in the names of folders; 0 without any. */
  async highestToken(): Promise<number> {
    const { folder } = this.keys;
    let highest = (await this.find())?.current?.token ?? 0;
    for await (const { key } of this.storage.list(folder)) {
      const token = /^[^/]*\.(\d+)\//.exec(key.slice(folder.length))?.[1];
      if (token !== undefined) highest = Math.max(highest, Number(token));
    }
    return highest;
  }

  /**
   * Reads the manifest of a version, and checks its hash.
   * @throws StorageError `missing` or `damaged`
   */
  async manifestOf({ manifest: { key, sha256: hash } }: Pick<Version, 'manifest'>): Promise<Manifest> {
    const known = this.#manifests.get(key);
    if (known !== undefined) return known;
    const found = await this.storage.read(key);
    if (found === undefined) throw storageError('missing', this.storage, key, 'does not exist');
    if (sha256(found.body) !== hash)
      throw storageError('damaged', this.storage, key, `does not match the hash in ${this.keys.pointer}`);
    const manifest = this.#parse(Manifest, found.body, key);
    this.#manifests.set(key, manifest);
    return manifest;
  }

  /** As `manifestOf`, but returns undefined if the manifest is missing or damaged. */
  async findManifest(version: Pick<Version, 'manifest'>): Promise<Manifest | undefined> {
    return this.manifestOf(version).catch(ignoreFault);
  }

  /**
   * Returns the keys of the files of a version that are missing or damaged.
   * @param readsAll whether to read each file and compare its hash. Default: compares sizes
   */
  async findFaults(version: Version, readsAll = false): Promise<Set<string>> {
    const manifest = await this.findManifest(version);
    if (manifest === undefined) return new Set([version.manifest.key]);
    const sizes = new Map<string, number>();
    for await (const { key, bytes } of this.storage.list(this.keys.folder)) sizes.set(key, bytes);
    const faults = new Set<string>();
    await inParallel(filesOf(manifest), READ_AT_ONCE, async (file) => {
      const isThere = sizes.get(file.key) === file.bytes;
      if (!isThere || (readsAll && !(await this.#hasHash(file)))) faults.add(file.key);
    });
    return faults;
  }

  async #hasHash(file: StoredFile): Promise<boolean> {
    return (await this.storage.digest(file.key, file).catch(ignoreFault)) !== undefined;
  }

  #parse<T>(schema: z.ZodType<T>, body: Buffer, key: string): T {
    try {
      return schema.parse(JSON.parse(body.toString('utf8')));
    } catch (error) {
      throw new TidemarkError('Internal', `${this.storage.name}: this version of Tidemark cannot read ${key}.`, {
        todo: 'Use the version of Tidemark that wrote it, or a newer one.',
        cause: error,
      });
    }
  }
}

/** Lists the files that a manifest names. */
export function filesOf({ database, tables }: Manifest): StoredFile[] {
  return [database, ...Object.values(tables).flatMap(({ files }) => files)];
}

/** Returns the path of a file in the folder of its version. */
export function nameInVersion(key: string, { folder }: Keys): string {
  return key.slice(key.indexOf('/', folder.length) + 1);
}

/** Encodes a manifest or a pointer. */
export function encode(content: Manifest | Pointer): Buffer {
  return Buffer.from(`${JSON.stringify(content, null, 1)}\n`);
}

function ignoreFault(error: unknown): undefined {
  if (!isFileFault(error)) throw error;
}

/** Whether a file is JSON that names its format. Otherwise, it is damaged. */
function hasFormat(body: Buffer): boolean {
  try {
    return z.object({ format: z.int() }).safeParse(JSON.parse(body.toString('utf8'))).success;
  } catch {
    return false;
  }
}
