import { z } from 'zod';
import { TidemarkError } from '../../base/errors.js';
import { isFileFault, storageError } from '../../store/errors.js';
import type { Storage } from '../../store/storage.js';
import { sha256 } from '../../base/hash.js';

/*
 * Published builds in a storage that other machines read:
 *
 *     current.json                 the version that readers use, and earlier versions that are still there
 *     v=<build>.<token>/           one version; its files never change
 *       manifest.json              lists the files of all tables, with sizes, hashes, rows and columns
 *       market.duckdb              the whole build as one file
 *       <schema>/<table>/*.parquet the files of a table that no earlier version has
 *     lease.json                   lease of the process that copies a build
 *
 * A manifest may name files of earlier versions. So readers take the list of files from the manifest, never from a folder.
 */

/** Key of the file that names the current version. */
export const CURRENT = 'current.json';
/** Key of the lease of the process that copies a build. */
export const LEASE = 'lease.json';
/** Beginning of the keys of all versions. */
export const VERSIONS = 'v=';

const StoredFile = z.object({ key: z.string(), bytes: z.int().nonnegative(), sha256: z.string() });
/** A file in the storage. The key is relative to the storage. */
export type StoredFile = z.infer<typeof StoredFile>;

const TableFile = StoredFile.extend({ rows: z.int().nonnegative() });
export type TableFile = z.infer<typeof TableFile>;

const StoredTable = z.object({
  rows: z.int().nonnegative(),
  /** Names and DuckDB types, in order. */
  columns: z.array(z.object({ name: z.string(), type: z.string() })),
  /** Together, these files have exactly the rows of the table. */
  files: z.array(TableFile),
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

// The cache makes a folder with the name of the version, so the name must have no slash.
const Version = z.object({
  build: z.string(),
  version: z.string().regex(/^v=[\w.-]+$/),
  manifest: StoredFile,
  /** Number of the build: a later publication has a higher one. */
  publication: z.int().nonnegative(),
});
/** A version: the build that it holds, its folder, its manifest, and the number of its build. */
export type Version = z.infer<typeof Version>;

const Current = Version.extend({
  format: z.literal(1),
  /** Fencing token of the process that wrote this file. */
  token: z.int(),
  published_at: z.string(),
  /** Replaced versions that are still there, newest first. */
  earlier: z.array(Version.extend({ replaced_at: z.string() })),
});
/** Content of `current.json`. */
export type Current = z.infer<typeof Current>;

/** The number of a version's build, and the highest number of all versions. */
export function numbersOf(current: Current, version: Version = current): { publication: number; last: number } {
  const known = [current, ...current.earlier].map(({ publication }) => publication);
  return { publication: version.publication, last: Math.max(...known) };
}

/**
 * Reads `current.json`, with its version for `replace`. Undefined before the first copy.
 * @throws StorageError `damaged`
 */
export async function readCurrent(storage: Storage): Promise<{ current: Current; version: string } | undefined> {
  const found = await findPointer(storage);
  if (found === undefined) return undefined;
  const { current, version } = found;
  if (current === undefined) throw storageError('damaged', storage, CURRENT, 'is damaged');
  return { current, version };
}

/** As `readCurrent`, but returns no `current` if the file is damaged. */
export async function findPointer(
  storage: Storage,
): Promise<{ current: Current | undefined; version: string } | undefined> {
  const found = await storage.read(CURRENT);
  if (found === undefined) return undefined;
  const { body, version } = found;
  return { current: hasFormat(body) ? parse(Current, body, storage, CURRENT) : undefined, version };
}

/** Finds the highest token of a holder of the lease, in `current.json` and in the names of the versions; 0 without any. */
export async function highestToken(storage: Storage): Promise<number> {
  let highest = (await findPointer(storage))?.current?.token ?? 0;
  for await (const { key } of storage.list(VERSIONS)) {
    const token = /^[^/]*\.(\d+)\//.exec(key)?.[1];
    if (token !== undefined) highest = Math.max(highest, Number(token));
  }
  return highest;
}

/**
 * Reads `current.json`.
 * @throws StorageError `missing` before the first copy
 */
export async function mustReadCurrent(storage: Storage): Promise<Current> {
  const found = await readCurrent(storage);
  if (found === undefined)
    throw storageError('missing', storage, CURRENT, 'does not exist, so no build was copied there');
  return found.current;
}

/**
 * Reads the manifest of a version, and checks its hash.
 * @throws StorageError `missing` or `damaged`
 */
export async function readManifest(storage: Storage, { manifest }: Pick<Version, 'manifest'>): Promise<Manifest> {
  const found = await storage.read(manifest.key);
  if (found === undefined) throw storageError('missing', storage, manifest.key, 'does not exist');
  if (sha256(found.body) !== manifest.sha256)
    throw storageError('damaged', storage, manifest.key, `does not match the hash in ${CURRENT}`);
  return parse(Manifest, found.body, storage, manifest.key);
}

/** As `readManifest`, but returns undefined if the manifest is missing or damaged. */
export async function findManifest(
  storage: Storage,
  version: Pick<Version, 'manifest'>,
): Promise<Manifest | undefined> {
  try {
    return await readManifest(storage, version);
  } catch (error) {
    if (isFileFault(error)) return undefined;
    throw error;
  }
}

/** Encodes a file of this folder. */
export function encode(content: Manifest | Current): Buffer {
  return Buffer.from(`${JSON.stringify(content, null, 1)}\n`);
}

/** Whether a file is JSON that names its format. Otherwise, it is damaged. */
function hasFormat(body: Buffer): boolean {
  try {
    return z.object({ format: z.int() }).safeParse(JSON.parse(body.toString('utf8'))).success;
  } catch {
    return false;
  }
}

function parse<T>(schema: z.ZodType<T>, body: Buffer, storage: Storage, key: string): T {
  try {
    return schema.parse(JSON.parse(body.toString('utf8')));
  } catch (error) {
    throw new TidemarkError('Internal', `${storage.name}: this version of Tidemark cannot read ${key}.`, {
      todo: 'Use the version of Tidemark that wrote it, or a newer one.',
      cause: error,
    });
  }
}
