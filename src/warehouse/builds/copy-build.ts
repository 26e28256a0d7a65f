import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { currentBuild, isTaken, listBuilds } from './builds.js';
import { numberOf, raiseNumber } from './order.js';
import { buildDir, copyCheckDir, copyDir, fileOf, publishedFile } from '../../store/data-folder.js';
import { errorMessage, hasErrorCode, TidemarkError } from '../../base/errors.js';
import { NotPublishedError } from '../duckdb/errors.js';
import { isLostRace } from '../../store/errors.js';
import { LeaseLostError, withLease, type Lease } from '../../store/lease.js';
import type { Content, Storage } from '../../store/storage.js';
import {
  CURRENT,
  encode,
  findPointer,
  highestToken,
  LEASE,
  numbersOf,
  VERSIONS,
  type Current,
  type Manifest,
  type StoredFile,
  type StoredTable,
  type Version,
} from './manifest.js';
import { prune } from './prune.js';
import { StoredFiles } from './stored-files.js';
import { listTables, type LocalFile } from './tables.js';
import { sha256, sha256OfFile } from '../../base/hash.js';
import { DAY_SECONDS, MINUTE_MS } from '../../base/time/time.js';

/** How long replaced versions stay. Longer than any query. */
export const KEEP_SECONDS = 7 * DAY_SECONDS;

/** Options of `copyCurrentBuild`. */
export interface CopyOptions {
  /** How long a replaced version is kept, in seconds. Choose it longer than the longest query. */
  keepSeconds: number;
  /** What this process does; other processes that wait for the lease show it. */
  what: string;
  /** Called with the holder of the lease, if this process must wait. */
  onWait?: (holder: string) => void;
  /** Called before readers are switched; throws if this process may not publish any more. */
  stillAllowed?: () => Promise<void>;
  /** Longest wait for another process that copies a build, in milliseconds. Default: 10 minutes. */
  waitMs?: number;
  /** Reads the files that the version takes over, and compares their hashes. Default: compares only their sizes. */
  check?: boolean | undefined;
}

/** What `copyCurrentBuild` did. */
export interface Copied {
  /** Name of the storage, such as `s3://bucket/prefix`. */
  to: string;
  build: string;
  /** Files and bytes that were sent. None if the build was already there. */
  sent: { files: number; bytes: number };
  /** Number of files of earlier versions that the new version names. */
  reused: number;
  /** Number of files that were missing or damaged in the storage. The current version names none of them. */
  faulty: number;
  /** Number of files of old versions that were removed. */
  removed: number;
  /** Why old versions could not be removed; null without a fault. The next copy tries again. */
  pruneFault: string | null;
}

/** What `findPointer` returns. */
type Pointer = { current: Current | undefined; version: string } | undefined;

const WAIT_MS = 10 * MINUTE_MS;
const MOST_TRIES = 3;

/**
 * Makes the current build of the data folder current in a storage, too. Sends the files that no earlier version has.
 * Then writes the manifest, and then switches `current.json`. Until then, and after any failure, readers see the version
 * before. Sends nothing if the build is already there with all its files. If some of them are missing or damaged, sends
 * these as a new version. If `current.json` is damaged, sends all files, and removes all earlier versions.
 * @throws NotPublishedError when nothing is published
 * @throws StorageError, LeaseLostError, TidemarkError; the data folder is unchanged
 */
export async function copyCurrentBuild(storage: Storage, dataDir: string, options: CopyOptions): Promise<Copied> {
  const { what, onWait, waitMs = WAIT_MS } = options;
  const highest = (): Promise<number> => highestToken(storage);
  return withLease(storage, LEASE, { what, onWait, waitMs, highest }, async (lease) => {
    const copier = new Copier(storage, dataDir, lease, options);
    for (let attempt = 1; ; attempt++) {
      const build = currentBuild(dataDir);
      if (build === null) throw new NotPublishedError(publishedFile(dataDir));
      try {
        return await copier.copy(build);
      } catch (error) {
        // A later publication may have removed the build meanwhile. Then copy the newer one.
        const isGone = hasErrorCode(error, 'ENOENT') && currentBuild(dataDir) !== build;
        if (!isGone || attempt === MOST_TRIES) throw error;
      }
    }
  });
}

class Copier {
  readonly #storage: Storage;
  readonly #dataDir: string;
  readonly #lease: Lease;
  readonly #keepMs: number;
  readonly #stillAllowed: () => Promise<void>;
  readonly #check: boolean;

  constructor(
    storage: Storage,
    dataDir: string,
    lease: Lease,
    { keepSeconds, stillAllowed = async () => undefined, check = false }: CopyOptions,
  ) {
    this.#storage = storage;
    this.#dataDir = dataDir;
    this.#lease = lease;
    this.#keepMs = keepSeconds * 1_000;
    this.#stillAllowed = stillAllowed;
    this.#check = check;
  }

  async copy(build: string): Promise<Copied> {
    const folder = copyCheckDir(this.#dataDir);
    rmSync(folder, { recursive: true, force: true });
    try {
      return await this.#copy(build, await StoredFiles.list(this.#storage, this.#check ? folder : undefined));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async #copy(build: string, there: StoredFiles): Promise<Copied> {
    const before = await findPointer(this.#storage);
    if (before !== undefined && before.current === undefined && isTaken(this.#dataDir, build))
      throw unknownCurrent(this.#storage, build);
    const complete = before?.current && (await findComplete(before.current, build, there));
    const made =
      complete === undefined
        ? await this.#send(build, before?.current, there)
        : { version: complete, sent: [], reused: 0 };
    const current = await this.#switch(made.version, before, there);
    raiseNumber(this.#dataDir, build, current.publication);
    const pruned = await prune(this.#storage, current, this.#lease, there).then(
      (removed) => ({ removed, pruneFault: null }),
      (error: unknown) => ({ removed: 0, pruneFault: errorMessage(error) }),
    );
    const sent = { files: made.sent.length, bytes: made.sent.reduce((sum, { bytes }) => sum + bytes, 0) };
    return { to: this.#storage.name, build, sent, reused: made.reused, faulty: there.faulty, ...pruned };
  }

  /** Sends the files of a build as a new version. The token in the name makes all keys unique, also after a failure. */
  async #send(
    build: string,
    before: Current | undefined,
    there: StoredFiles,
  ): Promise<{ version: Version; sent: Content[]; reused: number }> {
    const version = `${VERSIONS}${build}.${this.#lease.token}`;
    const known = before === undefined ? undefined : await there.manifestOf(before);
    const sent: Content[] = [];
    let reused = 0;
    const send = async (key: string, file: string): Promise<StoredFile> => {
      if (this.#lease.lost.aborted) await this.#lease.assertHeld();
      const content = await this.#storage.upload(key, file);
      sent.push(content);
      return { key, ...content };
    };
    const work = copyDir(this.#dataDir);
    const folder = path.join(work, 'tables');
    const tables: Record<string, StoredTable> = {};
    const source = buildDir(this.#dataDir, build);
    rmSync(folder, { recursive: true, force: true });
    try {
      for await (const { name, rows, columns, files } of listTables(source, folder)) {
        const stored: StoredTable['files'] = [];
        for (const file of files) {
          const same = await findSame(known?.tables[name]?.files ?? [], file);
          const isReused = same !== undefined && (await there.isSound(same));
          if (isReused) reused++;
          const key = `${version}/${name.replace('.', '/')}/${file.name}`;
          stored.push({ ...(isReused ? same : await send(key, file.file)), rows: file.rows });
        }
        tables[name] = { rows, columns, files: stored };
      }
      const database = await send(`${version}/market.duckdb`, fileOf(source));
      const manifest = await this.#writeManifest(version, { format: 1, build, database, tables });
      return { version: { build, version, manifest, publication: this.#numberOf(build, before) }, sent, reused };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async #writeManifest(version: string, manifest: Manifest): Promise<StoredFile> {
    const key = `${version}/manifest.json`;
    const body = encode(manifest);
    await this.#storage.create(key, body);
    return { key, bytes: body.length, sha256: sha256(body) };
  }

  /**
   * The number of a build in the storage. The build that was published last gets the highest number there. Another
   * build has been there before, or was published before the others.
   */
  #numberOf(build: string, before: Current | undefined): number {
    const same = before && [before, ...before.earlier].find((version) => version.build === build);
    const here = numberOf(this.#dataDir, build);
    if (same !== undefined) return same.publication;
    if (before === undefined || listBuilds(this.#dataDir)[0]?.name !== build) return here;
    return Math.max(here, 1 + numbersOf(before).last);
  }

  /**
   * Points readers at a version. A look may show an earlier `current.json`; then looks again. Fails if another process had
   * the lease meanwhile.
   */
  async #switch(to: Version, before: Pointer, there: StoredFiles): Promise<Current> {
    // This machine's clock may be wrong. It must not decide which versions readers may still use.
    const now = (await this.#storage.serviceTime?.().catch(() => undefined))?.getTime() ?? Date.now();
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#trySwitch(to, attempt === 1 ? before : await findPointer(this.#storage), now, there);
      } catch (error) {
        if (!isLostRace(error) || attempt === MOST_TRIES) throw error;
      }
    }
  }

  async #trySwitch(to: Version, before: Pointer, now: number, there: StoredFiles): Promise<Current> {
    const { build, version, manifest, publication } = to;
    const known = before?.current;
    if (known !== undefined && known.token > this.#lease.token) throw new LeaseLostError(this.#storage, LEASE);
    const earlier = known === undefined ? [] : await this.#stillKept(known, version, now, there);
    const isSame = known?.version === version;
    if (isSame && earlier.length === known.earlier.length) return known;
    const next: Current = {
      format: 1,
      token: this.#lease.token,
      build,
      version,
      manifest,
      publication,
      published_at: isSame ? known.published_at : new Date(now).toISOString(),
      earlier,
    };
    await this.#lease.assertHeld();
    await this.#stillAllowed();
    if (before === undefined) await this.#storage.create(CURRENT, encode(next));
    else await this.#storage.replace(CURRENT, encode(next), before.version);
    return next;
  }

  /** Earlier versions that readers may still use. A version whose manifest is missing or damaged cannot be read. */
  async #stillKept(current: Current, next: string, now: number, there: StoredFiles): Promise<Current['earlier']> {
    const { build, version, manifest, publication } = current;
    const replaced = { build, version, manifest, publication, replaced_at: new Date(now).toISOString() };
    const kept: Current['earlier'] = [];
    for (const earlier of [replaced, ...current.earlier]) {
      // A time in the future comes from a wrong clock. Such a version counts as replaced now.
      const at = Math.min(Date.parse(earlier.replaced_at), now);
      const one = { ...earlier, replaced_at: new Date(at).toISOString() };
      const isRecent = earlier === replaced || now - at < this.#keepMs;
      if (one.version === next || !isRecent) continue;
      if ((await there.manifestOf(one)) !== undefined) kept.push(one);
    }
    return kept;
  }
}

/** A machine that did not make its build cannot know whether the build is the newest one. */
function unknownCurrent({ name }: Storage, build: string): TidemarkError {
  return new TidemarkError(
    'StorageUnavailable',
    `${name}: ${CURRENT} is damaged, and another machine may have published after ${build}.`,
    { todo: 'Run `tidemark publish --check`, which publishes a new build from the warehouse.' },
  );
}

/** Finds a version of a build that has all its files. */
async function findComplete(current: Current, build: string, there: StoredFiles): Promise<Version | undefined> {
  for (const version of [current, ...current.earlier])
    if (version.build === build && (await there.isComplete(version))) return version;
  return undefined;
}

/** Finds a file with the same rows: one with the same name if names follow the content, else one with the same bytes. */
async function findSame(known: readonly StoredFile[], local: LocalFile): Promise<StoredFile | undefined> {
  const { size } = statSync(local.file);
  const candidates = known.filter(({ bytes }) => bytes === size);
  if (local.isNamedByContent) return candidates.map(plain).find(({ key }) => path.posix.basename(key) === local.name);
  if (candidates.length === 0) return undefined;
  const hash = await sha256OfFile(local.file);
  const found = candidates.find((candidate) => candidate.sha256 === hash);
  return found && plain(found);
}

function plain({ key, bytes, sha256: hash }: StoredFile): StoredFile {
  return { key, bytes, sha256: hash };
}
