import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { FolderLockSeeker, POLL_MS } from '../src/store/lock/folder-lock.mjs';
import { waitFor } from '../src/store/lock/holder.mjs';

/** Unpacking an archive may keep a process from sending heartbeats. */
const LEASE_MS = 60_000;

/**
 * Runs `work` while no other process holds the lock at `dir`. Waits while the holder is alive. If the holder was killed
 * on this machine, takes the lock at once. If the holder was killed in another container or on another machine, takes
 * the lock after a minute without a heartbeat.
 *
 * @template T
 * @param {string} dir the lock's path; its parent is created
 * @param {Partial<import('../src/store/lock/folder-lock.mjs').LockOptions & import('../src/store/lock/holder.mjs').Waiting>} options
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} the result of `work`
 */
export async function withLock(
  dir,
  { what = 'another command', leaseMs = LEASE_MS, beatMs, pollMs = POLL_MS, onWait },
  work,
) {
  mkdirSync(path.dirname(dir), { recursive: true });
  const lostError = () => new Error(`another process took the lock ${dir}`);
  const lock = await waitFor(new FolderLockSeeker(dir, { what, leaseMs, beatMs }, lostError), { pollMs, onWait });
  try {
    return await work();
  } finally {
    lock?.release();
  }
}
