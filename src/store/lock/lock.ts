import { randomUUID } from 'node:crypto';
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeFolderSync } from '../files.js';
import { asDiskError } from '../disk-errors.js';
import { hasErrorCode, TidemarkError } from '../../base/errors.js';
import { describeHolder, isCertainlyGone, look, nameOf, type Holder, type Watch } from './lease.js';

/*
 * A lock between processes that share a folder, even in containers or on several machines. It is a lease with fencing.
 *
 *     <dir>/                                missing or empty: free
 *     <dir>/<token>.<heartbeat>/holder.json held
 *
 * A process takes a free lock and releases it later. If the holder sends no heartbeat for a whole lease, another
 * process breaks the lock, and the lock is free again.
 *
 * Each step renames one exact path. So if several processes try the same step, only one of them succeeds:
 * - Taking the lock renames a prepared folder to <dir>. This fails while <dir> is not empty.
 * - A heartbeat renames <token>.7 to <token>.8. This fails after another process broke the lock.
 * - Breaking the lock renames the folder that the process watched. This fails if the holder has sent another heartbeat,
 *   because the folder then has another name.
 *
 * A paused holder that lost the lock notices this at its next heartbeat. To change a file safely, a holder first moves
 * the file into its folder inside the lock (`rename`, `remove`). This fails if the lock was broken, because the folder
 * is then gone.
 */

/** A holder that sends no heartbeat for this long loses the lock. */
export const LEASE_MS = 30_000;
const BEAT_MS = 2_000;
const POLL_MS = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Options for taking a lock. Times are in milliseconds. */
export interface LockOptions {
  /** What the holder does, such as `tidemark replay`. Other processes show this text in their error messages. */
  what: string;
  leaseMs?: number | undefined;
  beatMs?: number | undefined;
  /** Identifies the boot, process namespace and host of this process. Default: what the system reports. */
  place?: string | undefined;
}

/** Another process broke the lock while this process was paused. The change that the lock protects did not happen. */
export class LockLostError extends TidemarkError {
  constructor(dir: string, cause?: unknown) {
    super('Internal', `This process was paused for too long, and another process took the lock ${dir}.`, {
      todo: 'This process changed nothing after it lost the lock. Run the command again. If this repeats, the machine is overloaded or its disk is too slow.',
      retryable: true,
      cause,
    });
  }
}

/** A lock that this process holds. */
export class Lock {
  readonly #dir: string;
  readonly #token: string;
  readonly #timer: NodeJS.Timeout;
  readonly #ended = new AbortController();
  #heartbeat = 0;

  constructor(dir: string, token: string, beatMs: number) {
    this.#dir = dir;
    this.#token = token;
    // Ignore errors here. If the lock is lost, `assertHeld` has aborted `lost`. After any other error (such as a
    // stalled disk), the next heartbeat tries again.
    this.#timer = setInterval(() => {
      try {
        this.assertHeld();
      } catch {}
    }, beatMs);
    this.#timer.unref();
  }

  /** Aborted when the lock is lost or released. */
  get lost(): AbortSignal {
    return this.#ended.signal;
  }

  /**
   * Sends a heartbeat now. After that, no other process can take the lock for the time of one lease.
   * @throws LockLostError when the lock was broken
   */
  assertHeld(): void {
    if (this.lost.aborted) throw new LockLostError(this.#dir);
    const next = path.join(this.#dir, nameOf(this.#token, this.#heartbeat + 1));
    try {
      renameSync(this.#folder, next);
    } catch (error) {
      if (!hasErrorCode(error, 'ENOENT')) throw error;
      // A network file system may rename twice if it loses the first reply; the second rename fails. If `next` exists,
      // the first one succeeded.
      if (!existsSync(next)) throw this.#lose(error);
    }
    this.#heartbeat++;
  }

  /**
   * Lets `make` write a file under a temporary name, then renames it to `to`. Succeeds only while the lock is held.
   * @param to a path on the same file system as the lock
   * @throws LockLostError when the lock was broken; `to` is then unchanged
   */
  put(to: string, make: (temporary: string) => void): void {
    const inside = path.join(this.#folder, path.basename(to));
    this.#fenced(() => {
      make(inside);
      renameSync(inside, to);
    });
  }

  /**
   * Renames a file or folder. Succeeds only while the lock is held. All paths must be on the file system of the lock.
   * @throws LockLostError when the lock was broken; `to` is then unchanged, but `from` may be gone
   */
  rename(from: string, to: string): void {
    this.put(to, (temporary) => renameSync(from, temporary));
  }

  /**
   * Removes a file or folder. Succeeds only while the lock is held. The file must be on the file system of the lock.
   * @throws LockLostError when the lock was broken; the file is then still there
   */
  remove(file: string): void {
    const inside = path.join(this.#folder, path.basename(file));
    this.#fenced(() => renameSync(file, inside));
    rmSync(inside, { recursive: true, force: true });
  }

  /** Releases the lock. Does nothing when the lock is lost. */
  release(): void {
    clearInterval(this.#timer);
    if (this.lost.aborted) return;
    this.#ended.abort();
    if (moveAside(this.#dir, path.basename(this.#folder))) removeIfEmpty(this.#dir);
  }

  get #folder(): string {
    return path.join(this.#dir, nameOf(this.#token, this.#heartbeat));
  }

  /** Runs `work`, which must move a file into this holder's folder. This fails if the lock was broken. */
  #fenced(work: () => void): void {
    if (this.lost.aborted) throw new LockLostError(this.#dir);
    try {
      work();
    } catch (error) {
      if (hasErrorCode(error, 'ENOENT') && !existsSync(this.#folder)) throw this.#lose(error);
      throw error;
    }
  }

  #lose(cause: unknown): LockLostError {
    clearInterval(this.#timer);
    this.#ended.abort();
    return new LockLostError(this.#dir, cause);
  }
}

/** Tries to take a lock. Remembers between attempts what it observed about the holder. */
export class LockSeeker {
  readonly #dir: string;
  readonly #options: LockOptions;
  #watch: Watch | undefined;
  #holder: Holder | undefined;

  constructor(dir: string, options: LockOptions) {
    this.#dir = dir;
    this.#options = options;
  }

  /** Takes the lock if the lock is free or its holder is dead. Returns undefined if a live process holds the lock. */
  attempt(): Lock | undefined {
    const { leaseMs = LEASE_MS, beatMs = BEAT_MS, place = findPlace() } = this.#options;
    const seen = entriesOf(this.#dir)[0];
    if (seen !== undefined) {
      this.#watch = look(this.#watch, seen, performance.now(), 2 * beatMs);
      this.#holder = readHolder(path.join(this.#dir, seen)) ?? this.#holder;
      const gone = this.#holder !== undefined && isCertainlyGone(this.#holder, place, processExists);
      if (!gone && this.#watch.unchangedMs < leaseMs) return undefined;
      if (!moveAside(this.#dir, seen)) return undefined;
    }
    this.#watch = undefined;
    return this.#take(beatMs, place);
  }

  /** Whether the holder sent a heartbeat while this waiter watched. */
  get isHolderAlive(): boolean {
    return this.#watch?.moved ?? false;
  }

  /** Describes the holder for messages. */
  get holder(): string {
    return describeHolder(this.#holder);
  }

  #take(beatMs: number, place: string): Lock | undefined {
    const token = randomUUID();
    const prepared = `${this.#dir}.${token}`;
    const first = path.join(prepared, nameOf(token, 0));
    const holder: Holder = { what: this.#options.what, pid: process.pid, host: hostname(), place };
    try {
      makeFolderSync(first);
      writeFileSync(path.join(first, 'holder.json'), JSON.stringify(holder));
      if (!renameOnto(prepared, this.#dir)) return undefined;
    } catch (error) {
      // Another process took the lock, and its `sweep` removed the folder that this process had prepared.
      if (hasErrorCode(error, 'ENOENT')) return undefined;
      throw asDiskError(error, path.dirname(this.#dir));
    } finally {
      removeQuietly(prepared);
    }
    sweep(this.#dir);
    return new Lock(this.#dir, token, beatMs);
  }
}

/** Options for a process that waits for a lock. */
export interface WaitOptions extends LockOptions {
  /** Longest wait in milliseconds. Default: no limit while the holder is alive. */
  waitMs?: number;
  /** Called once, after one second of waiting, with a description of the holder. */
  onWait?: ((holder: string) => void) | undefined;
}

/**
 * Runs `work` while this process holds the lock. Waits for a live holder, and takes the lock from a dead one.
 * @throws TidemarkError `Internal` after a wait of `waitMs`; the message names the holder
 */
export async function withLock<T>(dir: string, options: WaitOptions, work: (lock: Lock) => Promise<T>): Promise<T> {
  const lock = await takeLock(dir, options);
  try {
    return await work(lock);
  } finally {
    lock.release();
  }
}

/**
 * Takes the lock, or returns a description of the live process that holds it. Needs a few heartbeats to see that a
 * holder is alive, and a whole lease to see that it is dead.
 */
export async function tryLock(
  dir: string,
  options: LockOptions,
): Promise<{ lock: Lock; holder?: undefined } | { lock?: undefined; holder: string }> {
  const seeker = new LockSeeker(dir, options);
  for (;;) {
    const lock = seeker.attempt();
    if (lock !== undefined) return { lock };
    if (seeker.isHolderAlive) return { holder: seeker.holder };
    await delay(POLL_MS);
  }
}

/**
 * Takes the lock and waits for it as `withLock` does. The caller must release the lock.
 * @throws TidemarkError `Internal` after a wait of `waitMs`; the message names the holder
 */
export async function takeLock(dir: string, options: WaitOptions): Promise<Lock> {
  const { waitMs = Infinity, onWait, ...lockOptions } = options;
  const seeker = new LockSeeker(dir, lockOptions);
  const begun = performance.now();
  for (let reported = false; ;) {
    const lock = seeker.attempt();
    if (lock !== undefined) return lock;
    if (performance.now() - begun > waitMs) {
      throw new TidemarkError('Internal', `Waited ${waitMs / 1000} s for the lock ${dir}: ${seeker.holder} holds it.`, {
        todo: 'Wait until that process ends, or end it, then try again.',
        retryable: true,
      });
    }
    // Don't report short waits: many holders release the lock within a second.
    if (!reported && performance.now() - begun > 1_000) {
      onWait?.(seeker.holder);
      reported = true;
    }
    await delay(POLL_MS);
  }
}

function entriesOf(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return [];
    throw error;
  }
}

function readHolder(folder: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, 'holder.json'), 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

/** Removes the entry with exactly this name from the lock. Returns false if there is no such entry. */
function moveAside(dir: string, name: string): boolean {
  const aside = `${dir}.${randomUUID()}`;
  try {
    renameSync(path.join(dir, name), aside);
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return false;
    throw error;
  }
  removeQuietly(aside);
  return true;
}

/** Renames folder `from` to `to`. Returns false when `to` is not empty. */
function renameOnto(from: string, to: string): boolean {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      renameSync(from, to);
      return true;
    } catch (error) {
      // Error codes that mean "the folder is not empty": the first two on POSIX, the other two on Windows. Windows also
      // gives them for an empty folder.
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'].some((code) => hasErrorCode(error, code))) throw error;
      if (entriesOf(to).length > 0) return false;
      removeIfEmpty(to);
    }
  }
  return false;
}

function removeIfEmpty(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // The folder is already gone, or the next holder has just taken the lock.
  }
}

/**
 * Removes the folders that killed processes left next to the lock. This may also remove a folder that a live process
 * has just prepared. That process then tries again.
 */
function sweep(dir: string): void {
  const prefix = `${path.basename(dir)}.`;
  for (const name of entriesOf(path.dirname(dir)))
    if (name.startsWith(prefix) && UUID.test(name.slice(prefix.length)))
      removeQuietly(path.join(path.dirname(dir), name));
}

function removeQuietly(file: string): void {
  try {
    rmSync(file, { recursive: true, force: true });
  } catch {
    // Another process is removing the same file.
  }
}

let foundPlace: string | undefined;

/**
 * Identifies the boot, the process namespace and the host of this process. Returns an empty text if the system does not
 * report them. A process sees only processes of the same boot and namespace, and none in another container.
 */
export function findPlace(): string {
  return (foundPlace ??= readPlace());
}

function readPlace(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${hostname()}`;
  } catch {
    return '';
  }
}

/** Whether a process with this id exists in this process's namespace. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Error EPERM means: the process exists but belongs to another user.
    return !hasErrorCode(error, 'ESRCH');
  }
}
