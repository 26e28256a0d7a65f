import path from 'node:path';
import { TidemarkError } from '../../base/errors.js';
import { asDiskError } from '../disk-errors.js';
import { makeFolderSync } from '../files.js';
import { FolderLockSeeker, POLL_MS, type FolderLock, type LockOptions } from './folder-lock.mjs';
import { waitFor, type Seeker, type Waiting } from './holder.mjs';

/** A lock in a folder that this process holds. Throws `LockLostError` after another process broke it. */
export type Lock = FolderLock;

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

/** Tries to take a lock. Remembers between attempts what it observed about the holder. */
export class LockSeeker extends FolderLockSeeker {
  readonly #above: string;

  constructor(dir: string, options: LockOptions) {
    super(dir, options, (cause) => new LockLostError(dir, cause));
    this.#above = path.dirname(dir);
  }

  /** @throws TidemarkError `DiskFull` or `DiskUnusable` */
  override attempt(): Lock | undefined {
    try {
      makeFolderSync(this.#above);
      return super.attempt();
    } catch (error) {
      throw asDiskError(error, this.#above);
    }
  }
}

/**
 * Options for a process that waits for a lock or a lease. Times are in milliseconds. `waitMs`: longest wait; default: no
 * limit while the holder is alive.
 */
export type WaitOptions = Partial<Omit<Waiting, 'isOver'>> & { waitMs?: number | undefined };

/**
 * Runs `work` while this process holds the lock. Waits for a live holder, and takes the lock from a dead one.
 * @throws TidemarkError `Internal` after a wait of `waitMs`; the message names the holder
 */
export async function withLock<T>(
  dir: string,
  options: LockOptions & WaitOptions,
  work: (lock: Lock) => Promise<T>,
): Promise<T> {
  const lock = await takeLock(dir, options);
  try {
    return await work(lock);
  } finally {
    lock.release();
  }
}

/**
 * Takes the lock and waits for it as `withLock` does. The caller must release the lock.
 * @throws TidemarkError `Internal` after a wait of `waitMs`; the message names the holder
 */
export async function takeLock(dir: string, options: LockOptions & WaitOptions): Promise<Lock> {
  return take(new LockSeeker(dir, options), `lock ${dir}`, { pollMs: POLL_MS, ...options });
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
  const lock = await waitFor(seeker, { pollMs: POLL_MS, isOver: () => seeker.isHolderAlive });
  return lock === undefined ? { holder: seeker.holder } : { lock };
}

/**
 * Takes a lock or a lease, and waits for it.
 * @param name the lock, for messages
 * @throws TidemarkError `Internal` after a wait of `waitMs`; the message names the holder
 * @throws AbortError when `signal` aborts
 */
export async function take<T>(
  seeker: Seeker<T>,
  name: string,
  { waitMs = Infinity, pollMs = POLL_MS, signal, onWait }: WaitOptions,
): Promise<T> {
  const taken = await waitFor(seeker, { pollMs, signal, onWait, isOver: (waitedMs) => waitedMs > waitMs });
  if (taken !== undefined) return taken;
  throw new TidemarkError('Internal', `Waited ${waitMs / 1_000} s for the ${name}: ${seeker.holder} holds it.`, {
    todo: 'Wait until that process ends, or end it, then try again.',
    retryable: true,
  });
}
