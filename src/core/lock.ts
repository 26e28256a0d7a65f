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
 * A lock between processes that share a folder, in containers or on several machines too. It is a lease with a fence:
 *
 *     <dir>/                                missing or empty: free
 *     <dir>/<token>.<heartbeat>/holder.json held
 *
 * Each step is one rename of an exact name, so of several processes one succeeds:
 * - taking renames a prepared folder to <dir>, which fails while anything is in it;
 * - a heartbeat renames <token>.7 to <token>.8, and fails once the lock is broken;
 * - breaking renames the very name that was watched, and fails once the holder's heartbeat goes on.
 * A holder that stood still and lost the lock therefore notices at its next heartbeat. To change files only while it holds
 * the lock, it moves them through its own folder (`rename`, `remove`): a broken lock has no such folder.
 */

/** A holder whose heartbeat stands still for this long has lost the lock. */
export const LEASE_MS = 30_000;
const BEAT_MS = 2_000;
const POLL_MS = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export interface LockOptions {
  /** What the holder does, for the messages of others: `tidemark replay`. */
  what: string;
  leaseMs?: number | undefined;
  beatMs?: number | undefined;
  /** Where a process id has its meaning; default: found out. */
  place?: string | undefined;
}

/** The lock was broken while this process stood still. What it was about to do did not happen. */
export class LockLostError extends TidemarkError {
  constructor(dir: string, cause?: unknown) {
    super('Internal', `This process stood still for too long and lost the lock ${dir} to another one.`, {
      todo: 'Nothing was changed after that. Run it again; if this repeats, the machine is overloaded or its disk stalls.',
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
    // A heartbeat that fails for another reason (a stalled disk) is tried again with the next.
    this.#timer = setInterval(() => {
      try {
        this.assertHeld();
      } catch {}
    }, beatMs);
    this.#timer.unref();
  }

  /** Aborted when the lock is found to be lost. */
  get lost(): AbortSignal {
    return this.#ended.signal;
  }

  /**
   * Gives a heartbeat now. When this returns, the lock was held at that moment, and nobody takes it within a lease from then.
   * @throws LockLostError
   */
  assertHeld(): void {
    if (this.lost.aborted) throw new LockLostError(this.#dir);
    const next = path.join(this.#dir, nameOf(this.#token, this.#heartbeat + 1));
    try {
      renameSync(this.#folder, next);
    } catch (error) {
      if (!hasErrorCode(error, 'ENOENT')) throw error;
      // A network file system may have done it, lost the answer, and asked again.
      if (!existsSync(next)) throw this.#lose(error);
    }
    this.#heartbeat++;
  }

  /**
   * Makes a file by `make`, under a temporary name, and renames it to `to`, only while the lock is held.
   * @param to On the file system of the lock
   * @throws LockLostError and `to` is as it was
   */
  put(to: string, make: (temporary: string) => void): void {
    const inside = path.join(this.#folder, path.basename(to));
    this.#fenced(() => {
      make(inside);
      renameSync(inside, to);
    });
  }

  /**
   * Renames a file or folder of the same file system, only while the lock is held.
   * @throws LockLostError and `to` is as it was; `from` may be gone
   */
  rename(from: string, to: string): void {
    this.put(to, (temporary) => renameSync(from, temporary));
  }

  /**
   * Removes a file or folder of the same file system, only while the lock is held.
   * @throws LockLostError and it is still there
   */
  remove(file: string): void {
    const inside = path.join(this.#folder, path.basename(file));
    this.#fenced(() => renameSync(file, inside));
    rmSync(inside, { recursive: true, force: true });
  }

  /** Gives the lock up; without effect when it is lost. */
  release(): void {
    clearInterval(this.#timer);
    if (this.lost.aborted) return;
    this.#ended.abort();
    if (moveAside(this.#dir, path.basename(this.#folder))) removeIfEmpty(this.#dir);
  }

  get #folder(): string {
    return path.join(this.#dir, nameOf(this.#token, this.#heartbeat));
  }

  /** `work` moves something into this holder's folder, which is gone once the lock is broken. */
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

/** One process that wants a lock: remembers what it saw of the holder between its attempts. */
export class LockSeeker {
  readonly #dir: string;
  readonly #options: LockOptions;
  #watch: Watch | undefined;
  #holder: Holder | undefined;

  constructor(dir: string, options: LockOptions) {
    this.#dir = dir;
    this.#options = options;
  }

  /** Takes the lock when it is free or its holder is dead; undefined while it is held. */
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

  /** True once the holder's heartbeat was seen to go on. */
  get isHolderAlive(): boolean {
    return this.#watch?.moved ?? false;
  }

  /** Who holds it, in words. */
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
      // The one who took the lock swept it away.
      if (hasErrorCode(error, 'ENOENT')) return undefined;
      throw error;
    } finally {
      removeQuietly(prepared);
    }
    sweep(this.#dir);
    return new Lock(this.#dir, token, beatMs);
  }
}

export interface WaitOptions extends LockOptions {
  /** How long to wait at most; default: as long as the holder lives. */
  waitMs?: number;
  /** Called once when there is a wait, with the holder in words. */
  onWait?: ((holder: string) => void) | undefined;
}

/**
 * Runs `work` while no other process holds the lock. Waits for a holder that lives; a dead one's lock is taken over.
 * @throws TidemarkError `Internal` after `waitMs`, naming the holder
 */
export async function withLock<T>(dir: string, options: WaitOptions, work: (lock: Lock) => Promise<T>): Promise<T> {
  const lock = await takeLock(dir, options);
  try {
    return await work(lock);
  } finally {
    lock.release();
  }
}

/** The lock, or who lives and holds it. Decides within a few heartbeats where the holder lives, within a lease where not. */
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

/** Takes the lock as `withLock` does; the caller releases it. */
export async function takeLock(dir: string, options: WaitOptions): Promise<Lock> {
  const { waitMs = Infinity, onWait, ...lockOptions } = options;
  const seeker = new LockSeeker(dir, lockOptions);
  const begun = performance.now();
  for (let told = false; ;) {
    const lock = seeker.attempt();
    if (lock !== undefined) return lock;
    if (performance.now() - begun > waitMs) {
      throw new TidemarkError('Internal', `${seeker.holder} has held the lock ${dir} for ${waitMs / 1000} s.`, {
        todo: 'Wait for it to end, or end it, then try again.',
        retryable: true,
      });
    }
    // Who is only about to let go is not worth a word.
    if (!told && performance.now() - begun > 1_000) {
      onWait?.(seeker.holder);
      told = true;
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

/** Takes what is under exactly this name out of the lock; false when it is not there (any more). */
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

/** False when something is in the folder `to`. */
function renameOnto(from: string, to: string): boolean {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      renameSync(from, to);
      return true;
    } catch (error) {
      // What a folder that is not empty gives: the first two on POSIX, the others on Windows, there for an empty one too.
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
    // Gone already, or taken by the next holder in this very moment.
  }
}

/** Removes what killed processes left beside the lock. A live one that loses what it prepared tries again. */
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
    // Another process removes it too.
  }
}

let foundPlace: string | undefined;

/**
 * Boot and process namespace of this process. Two processes of the same place can see whether the other exists; others
 * (another container, another machine, before a reboot) cannot.
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

/** True while some process has this id, in this process's namespace. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: there is one, of another user.
    return !hasErrorCode(error, 'ESRCH');
  }
}
