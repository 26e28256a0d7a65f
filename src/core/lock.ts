import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
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
import { hasErrorCode, TidemarkError } from './errors.js';
import { isCertainlyGone, look, nameOf, type Holder, type Watch } from './lease.js';

/*
 * A lock between processes that share a folder, also in containers or on several machines: a lease with fencing.
 *
 *     <dir>/                                missing or empty: free
 *     <dir>/<token>.<heartbeat>/holder.json held
 *
 * States: free → held (take) → free (release, or break after a lease without a heartbeat).
 *
 * Each step renames one exact path, so that only one of several processes succeeds:
 * - Taking the lock renames a prepared folder to <dir>. The step fails while <dir> contains anything.
 * - A heartbeat renames <token>.7 to <token>.8. The step fails once the lock is broken.
 * - Breaking the lock renames the exact folder that was watched. The step fails once the holder sends another
 *   heartbeat.
 *
 * A paused holder that lost the lock notices the loss at its next heartbeat. To change files only while holding the
 * lock, the holder moves the files through its folder (`rename`, `remove`). A broken lock no longer has this folder.
 */

/** A holder that sends no heartbeat for this long loses the lock. */
export const LEASE_MS = 30_000;
const BEAT_MS = 2_000;
const POLL_MS = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Options for taking a lock. Times are in milliseconds. */
export interface LockOptions {
  /** The holder's work, such as `tidemark replay`. Other processes show this text in their error message. */
  what: string;
  leaseMs?: number | undefined;
  beatMs?: number | undefined;
  /** Boot and process namespace in which the process id is valid. Default: as the system reports. */
  place?: string | undefined;
}

/** Thrown when another process broke the lock while this process was paused. The protected change did not happen. */
export class LockLostError extends TidemarkError {
  constructor(dir: string, cause?: unknown) {
    super('Internal', `This process stood still for too long, and another process took the lock ${dir}.`, {
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
    // If the lock is lost, `assertHeld` aborts `lost`. After other errors (a stalled disk), the next heartbeat tries
    // again.
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
   * Sends a heartbeat now. For one lease, no other process can then take the lock.
   * @throws LockLostError when the lock was broken
   */
  assertHeld(): void {
    if (this.lost.aborted) throw new LockLostError(this.#dir);
    const next = path.join(this.#dir, nameOf(this.#token, this.#heartbeat + 1));
    try {
      renameSync(this.#folder, next);
    } catch (error) {
      if (!hasErrorCode(error, 'ENOENT')) throw error;
      // A network file system may rename the folder, lose its reply and try the rename again, which fails. If `next`
      // exists, the heartbeat succeeded.
      if (!existsSync(next)) throw this.#lose(error);
    }
    this.#heartbeat++;
  }

  /**
   * Creates a file with `make` under a temporary name and renames it to `to`, only while the lock is held.
   * @param to a path on the file system of the lock
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
   * Renames a file or folder on the same file system, only while the lock is held.
   * @throws LockLostError when the lock was broken; `to` is then unchanged, but `from` may be gone
   */
  rename(from: string, to: string): void {
    this.put(to, (temporary) => renameSync(from, temporary));
  }

  /**
   * Removes a file or folder on the same file system, only while the lock is held.
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

  /**
   * Runs `work`, which moves a file into this holder's folder. If the lock was broken, the folder is gone and `work`
   * fails.
   */
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

/** One process that wants the lock. Remembers its observations of the holder between attempts. */
export class LockSeeker {
  readonly #dir: string;
  readonly #options: LockOptions;
  #watch: Watch | undefined;
  #holder: Holder | undefined;

  constructor(dir: string, options: LockOptions) {
    this.#dir = dir;
    this.#options = options;
  }

  /** Takes the lock if it is free or its holder is dead. Returns undefined while another process holds it. */
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
    if (this.#holder === undefined) return 'another process';
    const { what, pid, host } = this.#holder;
    return `${what} (process ${pid} on ${host})`;
  }

  #take(beatMs: number, place: string): Lock | undefined {
    const token = randomUUID();
    const prepared = `${this.#dir}.${token}`;
    const first = path.join(prepared, nameOf(token, 0));
    const holder: Holder = { what: this.#options.what, pid: process.pid, host: hostname(), place };
    mkdirSync(path.dirname(this.#dir), { recursive: true });
    try {
      mkdirSync(first, { recursive: true });
      writeFileSync(path.join(first, 'holder.json'), JSON.stringify(holder));
      if (!renameOnto(prepared, this.#dir)) return undefined;
    } catch (error) {
      // Another process took the lock and removed the folder that this process had prepared.
      if (hasErrorCode(error, 'ENOENT')) return undefined;
      throw error;
    } finally {
      removeQuietly(prepared);
    }
    sweep(this.#dir);
    return new Lock(this.#dir, token, beatMs);
  }
}

/** Options for taking a lock and waiting for it. */
export interface WaitOptions extends LockOptions {
  /** Longest wait in milliseconds. Default: no limit while the holder is alive. */
  waitMs?: number;
  /** Called once, after a wait of one second, with the holder's description. */
  onWait?: ((holder: string) => void) | undefined;
}

/**
 * Runs `work` while no other process holds the lock. Waits for a live holder and takes over the lock of a dead one.
 * @throws TidemarkError `Internal` after `waitMs`, with the holder
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
 * Takes the lock, or returns the live holder. Detects a live holder within a few heartbeats, a dead holder within a
 * lease.
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
 * Takes the lock as `withLock` does; the caller must release it.
 * @throws TidemarkError `Internal` after `waitMs`, with the holder
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
    // Do not report a holder that releases the lock within a second.
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
      // Codes for a folder that is not empty: the first two on POSIX, the other two on Windows. Windows also gives
      // these two for empty folders.
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
 * Removes the folders that killed processes left next to the lock. If this removes the prepared folder of a live
 * process, that process tries again.
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
 * Identifies the boot and process namespace of this process; empty if the system does not report them. A process sees
 * only processes of the same boot and namespace, and none in another container.
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
    // EPERM: the process exists and belongs to another user.
    return !hasErrorCode(error, 'ESRCH');
  }
}
