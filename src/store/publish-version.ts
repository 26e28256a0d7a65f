import { statSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from '../base/hash.js';
import { isLostRace } from './errors.js';
import { LeaseLostError, takeLease, type Lease, type WaitOptions } from './lease.js';
import {
  encode,
  filesOf,
  nameInVersion,
  type Manifest,
  type Pointer,
  type StoredFile,
  type StoredTable,
  type Version,
  type Versions,
} from './versions.js';

/*
 * A process publishes while it holds the lease of the versions:
 * - Each folder has the token of the lease in its name, so no two processes ever write the same key.
 * - The pointer has the token, too. A process whose lease was taken finds a higher token there, and stops.
 * - A version takes files only from the version before it. So a process that removes old files, and does not know yet
 *   that it lost the lease, removes nothing that a newer version needs.
 */

/** The files of a build on this machine. */
export interface LocalBuild {
  /** The DuckDB file. */
  database: string;
  /** Folder of the Parquet files. No two files that ever were in it have the same name and other contents. */
  lake: string;
  /** Columns and files of each table. `file`: path in the lake. */
  tables: Readonly<
    Record<string, { columns: { name: string; type: string }[]; files: readonly { file: string; rows: number }[] }>
  >;
}

/** Input of `publishVersion`. */
export interface VersionRequest {
  build: string;
  /** Number of the build. `before`: the version before; undefined if there is none. */
  publication: (before: Pointer | undefined) => number;
  /** Finds the files. Called only if the storage has no complete version of this build. */
  local: () => LocalBuild;
  /** How long a replaced version is kept, in seconds. With 0, no replaced version is kept. */
  keepSeconds: number;
  /** Reads the files that are there, and compares their hashes. Default: compares only their sizes. */
  check?: boolean | undefined;
  /** Called before readers are switched; throws if this process may not publish any more. */
  stillAllowed?: (() => Promise<void>) | undefined;
}

/** What `publishVersion` did. */
export interface PublishedVersion {
  current: Pointer;
  /** Files and bytes that were sent. None if a complete version of the build was there. */
  sent: { files: number; bytes: number };
  /** Number of files that the new version takes from the version before. */
  reused: number;
  /** Number of files that were missing or damaged. The current version names none of them. */
  faulty: number;
}

const MOST_TRIES = 5;
/** Number of removed files after which the lease is checked again. */
const CHECK_EVERY = 50;

/** Takes the lease of the process that publishes versions. Throws as `takeLease` does. */
export async function takeLeaseOf(versions: Versions, options: Omit<WaitOptions, 'highest'>): Promise<Lease> {
  return takeLease(versions.storage, versions.keys.lease, { ...options, highest: () => versions.highestToken() });
}

/**
 * Makes a build current: sends the files that the storage lacks, then writes the manifest, then replaces the pointer.
 * Until then, and after any failure, readers see the version before. Sends nothing if a version of the build is there
 * with all its files. If some of them are missing or damaged, sends these as a new version. If the pointer is damaged,
 * sends all files.
 * @throws StorageError, LeaseLostError
 */
export async function publishVersion(
  versions: Versions,
  lease: Lease,
  request: VersionRequest,
): Promise<PublishedVersion> {
  const { build, check } = request;
  const before = (await versions.find())?.current;
  refuseLater(versions, before, lease);
  const faults = new Set<string>();
  let complete: Version | undefined;
  for (const version of before === undefined ? [] : [before, ...before.earlier]) {
    if (complete !== undefined || (version !== before && version.build !== build)) continue;
    const found = await versions.findFaults(version, check);
    for (const key of found) faults.add(key);
    if (version.build === build && found.size === 0) complete = version;
  }
  const done = { sent: { files: 0, bytes: 0 }, reused: 0, faulty: faults.size };
  const version = complete ?? (await sendFiles(versions, lease, request, { before, faults, done }));
  return { ...done, current: await switchTo(versions, version, lease, request) };
}

/**
 * Removes the files that no kept version names: those of old versions, and of publications that failed. Call it while
 * this process holds the lease.
 * @param current content of the pointer; undefined if there is none
 * @returns the number of removed files
 */
export async function pruneVersions(versions: Versions, current: Pointer | undefined, lease?: Lease): Promise<number> {
  const { storage, keys } = versions;
  const kept = new Set([keys.pointer, keys.lease]);
  for (const version of current === undefined ? [] : [current, ...current.earlier])
    for (const { key } of [version.manifest, ...filesOf(await versions.manifestOf(version))]) kept.add(key);
  const removed: string[] = [];
  for await (const { key } of storage.list(keys.folder)) if (!kept.has(key)) removed.push(key);
  for (const [i, key] of removed.entries()) {
    if (i % CHECK_EVERY === 0) await lease?.assertHeld();
    await storage.remove(key);
  }
  return removed.length;
}

/** Sends a new version, and counts in `done` what it sends. */
async function sendFiles(
  versions: Versions,
  lease: Lease,
  { build, publication, local }: VersionRequest,
  {
    before,
    faults,
    done,
  }: { before: Pointer | undefined; faults: ReadonlySet<string>; done: Omit<PublishedVersion, 'current'> },
): Promise<Version> {
  const { storage, keys } = versions;
  const version = `${keys.folder}${build}.${lease.token}`;
  const manifestBefore = before && (await versions.findManifest(before));
  const known = new Map(manifestBefore && filesOf(manifestBefore).map((file) => [nameInVersion(file.key, keys), file]));
  const send = async (name: string, file: string, mayReuse: boolean): Promise<StoredFile> => {
    const same = mayReuse ? known.get(name) : undefined;
    if (same?.bytes === statSync(file).size && !faults.has(same.key)) {
      done.reused++;
      return { key: same.key, bytes: same.bytes, sha256: same.sha256 };
    }
    if (lease.lost.aborted) await lease.assertHeld();
    const content = await storage.upload(`${version}/${name}`, file);
    done.sent.files++;
    done.sent.bytes += content.bytes;
    return { key: `${version}/${name}`, ...content };
  };
  const { database, lake, tables } = local();
  const stored: Manifest['tables'] = {};
  for (const [table, { columns, files }] of Object.entries(tables)) {
    const there: StoredTable['files'] = [];
    for (const { file, rows } of files) there.push({ ...(await send(file, path.join(lake, file), true)), rows });
    stored[table] = { rows: files.reduce((sum, { rows }) => sum + rows, 0), columns, files: there };
  }
  const whole = await send(path.basename(database), database, before?.build === build);
  const body = encode({ format: 1, build, database: whole, tables: stored });
  const manifest = { key: `${version}/manifest.json`, bytes: body.length, sha256: sha256(body) };
  await storage.create(manifest.key, body);
  return { build, version, manifest, publication: publication(before) };
}

/** Points readers at a version. A look may show an earlier pointer; then looks again. */
async function switchTo(
  versions: Versions,
  { build, version, manifest, publication }: Version,
  lease: Lease,
  { keepSeconds, stillAllowed }: VersionRequest,
): Promise<Pointer> {
  const { storage, keys } = versions;
  // This machine's clock may be wrong. It must not decide which versions readers may still use.
  const now = (await storage.serviceTime?.().catch(() => undefined)) ?? new Date();
  for (let attempt = 1; ; attempt++) {
    const found = await versions.find();
    const before = found?.current;
    refuseLater(versions, before, lease);
    const earlier = before === undefined ? [] : await stillKept(versions, before, version, { now, keepSeconds });
    const isSame = before?.version === version;
    if (isSame && earlier.length === before.earlier.length) return before;
    const { token } = lease;
    const at = isSame ? before.published_at : now.toISOString();
    const next: Pointer = { format: 1, token, build, version, manifest, publication, published_at: at, earlier };
    await lease.assertHeld();
    await stillAllowed?.();
    try {
      if (found === undefined) await storage.create(keys.pointer, encode(next));
      else await storage.replace(keys.pointer, encode(next), found.version);
      return next;
    } catch (error) {
      if (!isLostRace(error) || attempt === MOST_TRIES) throw error;
    }
  }
}

/** Earlier versions that readers may still use. A version whose manifest is missing or damaged cannot be read. */
async function stillKept(
  versions: Versions,
  { build, version, manifest, publication, earlier }: Pointer,
  next: string,
  { now, keepSeconds }: { now: Date; keepSeconds: number },
): Promise<Pointer['earlier']> {
  const replaced = { build, version, manifest, publication, replaced_at: now.toISOString() };
  const kept: Pointer['earlier'] = [];
  for (const one of [replaced, ...earlier]) {
    // A time in the future comes from a wrong clock. Such a version counts as replaced now.
    const at = Math.min(Date.parse(one.replaced_at), now.getTime());
    if (one.version === next || now.getTime() - at >= keepSeconds * 1_000) continue;
    if ((await versions.findManifest(one)) !== undefined)
      kept.push({ ...one, replaced_at: new Date(at).toISOString() });
  }
  return kept;
}

/** @throws LeaseLostError when a later holder of the lease has written the pointer */
function refuseLater({ storage, keys }: Versions, found: Pointer | undefined, { token }: Lease): void {
  if (found !== undefined && found.token > token) throw new LeaseLostError(storage, keys.lease);
}
