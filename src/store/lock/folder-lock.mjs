import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describeHolder, findPlace, isCertainlyGone, look, thisProcess } from './holder.mjs';

/*
 * A lock between processes that share a folder, even in containers or on several machines. It is a lease with fencing.
 *
 *     <dir>/                             missing or empty: free
 *     <dir>/<id>.<heartbeat>/holder.json held; the id is random, and new each time a process takes the lock
 *
 * A process takes a free lock and releases it later. If the holder sends no heartbeat for a whole lease, another
 * process breaks the lock, and the lock is free again.
 *
 * Each step renames one exact path. So if several processes try the same step, only one of them succeeds:
 * - Taking the lock renames a prepared folder to <dir>. This fails while <dir> is not empty.
 * - A heartbeat renames <id>.7 to <id>.8. This fails after another process broke the lock.
 * - Breaking the lock renames the folder that the process watched. This fails if the holder has sent another heartbeat,
 *   because the folder then has another name.
 *
 * A paused holder that lost the lock notices this at its next heartbeat. To change a file safely, a holder first moves
 * the file into its folder inside the lock (`put`, `rename`, `remove`). This fails if the lock was broken, because the
 * folder is then gone.
 *
 * Plain JavaScript, because `bootstrap/` uses it before any package is installed.
 */

/** A holder that sends no heartbeat for this long loses the lock, in milliseconds. */
export const LEASE_MS = 30_000;
const BEAT_MS = 2_000;
/** Time between two attempts of a waiter, in milliseconds. */
export const POLL_MS = 200;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Options for taking a lock. Times are in milliseconds.
 * @typedef {object} LockOptions
 * @property {string} what what the holder does, such as `tidemark replay`. Other processes show this text
 * @property {number | undefined} [leaseMs] a holder without a heartbeat for this long loses the lock. Default: 30,000
 * @property {number | undefined} [beatMs] time between two heartbeats. Default: 2,000
 * @property {string | undefined} [place] identifies the boot, process namespace and host of this process. Default: what
 *   the system reports
 */

/** @typedef {(cause?: unknown) => Error} LostError makes the error for a lock that another process broke */

/** A lock that this process holds. */
export class FolderLock {
  #dir;
  #id;
  #lostError;
  #timer;
  /** Whether the lock was lost or released. */
  #isOver = false;
  #heartbeat = 0;

  /**
   * @param {string} dir
   * @param {string} id
   * @param {number} beatMs
   * @param {LostError} lostError
   */
  constructor(dir, id, beatMs, lostError) {
    this.#dir = dir;
    this.#id = id;
    this.#lostError = lostError;
    // Ignore errors here. If the lock is lost, the next change fails. After any other error (such as a stalled disk),
    // the next heartbeat tries again.
    this.#timer = setInterval(() => attempt(() => this.assertHeld()), beatMs);
    this.#timer.unref();
  }

  /**
   * Sends a heartbeat now. After that, no other process can take the lock for the time of one lease.
   * @throws the error for a lost lock when the lock was broken
   */
  assertHeld() {
    if (this.#isOver) throw this.#lostError();
    const next = path.join(this.#dir, `${this.#id}.${this.#heartbeat + 1}`);
    try {
      renameSync(this.#folder, next);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // A network file system may rename twice if it loses the first reply; the second rename fails. If `next` exists,
      // the first one succeeded.
      if (!existsSync(next)) throw this.#lose(error);
    }
    this.#heartbeat++;
  }

  /**
   * Lets `make` write a file under a temporary name, then renames it to `to`. Succeeds only while the lock is held.
   * @param {string} to a path on the same file system as the lock
   * @param {(temporary: string) => void} make
   * @throws the error for a lost lock when the lock was broken; `to` is then unchanged
   */
  put(to, make) {
    const inside = path.join(this.#folder, path.basename(to));
    this.#fenced(() => {
      make(inside);
      renameSync(inside, to);
    });
  }

  /**
   * Renames a file or folder. Succeeds only while the lock is held. All paths must be on the file system of the lock.
   * @param {string} from
   * @param {string} to
   * @throws the error for a lost lock when the lock was broken; `to` is then unchanged, but `from` may be gone
   */
  rename(from, to) {
    this.put(to, (temporary) => renameSync(from, temporary));
  }

  /**
   * Removes a file or folder. Succeeds only while the lock is held.
   * @param {string} file a path on the same file system as the lock
   * @throws the error for a lost lock when the lock was broken; the file is then still there
   */
  remove(file) {
    const inside = path.join(this.#folder, path.basename(file));
    this.#fenced(() => renameSync(file, inside));
    rmSync(inside, { recursive: true, force: true });
  }

  /** Releases the lock. Does nothing when the lock is lost. */
  release() {
    clearInterval(this.#timer);
    if (this.#isOver) return;
    this.#isOver = true;
    // The second step fails if the next holder has just taken the lock.
    if (removeEntry(this.#dir, path.basename(this.#folder))) attempt(() => rmdirSync(this.#dir));
  }

  get #folder() {
    return path.join(this.#dir, `${this.#id}.${this.#heartbeat}`);
  }

  /** @param {() => void} work must move a file into this holder's folder. This fails if the lock was broken */
  #fenced(work) {
    if (this.#isOver) throw this.#lostError();
    try {
      work();
    } catch (error) {
      if (codeOf(error) === 'ENOENT' && !existsSync(this.#folder)) throw this.#lose(error);
      throw error;
    }
  }

  /** @param {unknown} cause */
  #lose(cause) {
    clearInterval(this.#timer);
    this.#isOver = true;
    return this.#lostError(cause);
  }
}

/** Tries to take a lock. Remembers between attempts what it observed about the holder. */
export class FolderLockSeeker {
  #dir;
  #options;
  #lostError;
  /** @type {import('./holder.mjs').Watch | undefined} */
  #watch;
  /** @type {import('./holder.mjs').Holder | undefined} */
  #holder;

  /**
   * @param {string} dir path of the lock; the folder above it must exist
   * @param {LockOptions} options
   * @param {LostError} lostError
   */
  constructor(dir, { what, leaseMs = LEASE_MS, beatMs = BEAT_MS, place = findPlace() }, lostError) {
    this.#dir = dir;
    this.#options = { what, leaseMs, beatMs, place };
    this.#lostError = lostError;
  }

  /**
   * Takes the lock if the lock is free or its holder is dead.
   * @returns {FolderLock | undefined} undefined if a live process holds the lock
   */
  attempt() {
    const { leaseMs, beatMs, place } = this.#options;
    const name = namesIn(this.#dir)[0];
    if (name !== undefined) {
      const seen = { id: name.replace(/\.\d+$/, ''), beat: name };
      const before = this.#watch?.id === seen.id ? this.#holder : undefined;
      this.#watch = look(this.#watch, seen, performance.now(), 2 * beatMs);
      const file = path.join(this.#dir, name, 'holder.json');
      this.#holder = attempt(() => JSON.parse(readFileSync(file, 'utf8'))) ?? before;
      const isGone = this.#holder !== undefined && isCertainlyGone(this.#holder, place);
      if (!isGone && this.#watch.unchangedMs < leaseMs) return undefined;
      if (!removeEntry(this.#dir, name)) return undefined;
    }
    this.#watch = undefined;
    return this.#take();
  }

  /** Whether the holder sent a heartbeat while this waiter watched. */
  get isHolderAlive() {
    return this.#watch?.moved ?? false;
  }

  /** Describes the holder for messages. */
  get holder() {
    return describeHolder(this.#holder);
  }

  #take() {
    const { what, beatMs, place } = this.#options;
    const id = randomUUID();
    const prepared = `${this.#dir}.${id}`;
    mkdirSync(prepared);
    try {
      const first = path.join(prepared, `${id}.0`);
      mkdirSync(first);
      writeFileSync(path.join(first, 'holder.json'), JSON.stringify(thisProcess(what, place)));
      renameSync(prepared, this.#dir);
    } catch (error) {
      // Another process took the lock: the folder is not empty, or that process's `sweep` removed the prepared folder.
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(codeOf(error))) return undefined;
      throw error;
    } finally {
      removeQuietly(prepared);
    }
    sweep(this.#dir);
    return new FolderLock(this.#dir, id, beatMs, this.#lostError);
  }
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/**
 * Removes the entry with exactly this name from the lock. Returns false if there is no such entry.
 * @param {string} dir
 * @param {string} name
 */
function removeEntry(dir, name) {
  const aside = `${dir}.${randomUUID()}`;
  try {
    renameSync(path.join(dir, name), aside);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  removeQuietly(aside);
  return true;
}

/**
 * Removes the folders that killed processes left next to the lock. This may also remove a folder that a live process
 * has just prepared. That process then tries again.
 * @param {string} dir
 */
function sweep(dir) {
  const [folder, prefix] = [path.dirname(dir), `${path.basename(dir)}.`];
  for (const name of namesIn(folder))
    if (name.startsWith(prefix) && UUID.test(name.slice(prefix.length))) removeQuietly(path.join(folder, name));
}

/**
 * Removes a file or folder, unless another process is removing it, too.
 * @param {string} file
 */
function removeQuietly(file) {
  attempt(() => rmSync(file, { recursive: true, force: true }));
}

/**
 * Does work that another process may make impossible at any time.
 * @template T
 * @param {() => T} work
 * @returns {T | undefined} undefined if the work failed
 */
function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException | undefined} */ (error)?.code ?? '';
}
