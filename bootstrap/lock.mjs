import { randomUUID } from 'node:crypto';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// A lock between processes that survives a killed holder. The lock is a folder with one file, named by the holder's
// token, holding `{pid, host}`; its mtime is the heartbeat. Taking the lock renames a prepared folder into place, so it
// never exists without its owner. Breaking it removes the file of *one* token, so of several who find it stale only one
// succeeds, and nobody removes the next holder's lock by mistake.

const BEAT_MS = 2_000;
/** Without a new heartbeat for this long a holder is gone, even if its process id is in use (by another, later process). */
const STALE_MS = 60_000;

/**
 * Waiting for a lock.
 * @typedef {object} LockOptions
 * @property {(holder: string) => void} [onWait] called once, with a name for the holder, if there is a wait
 * @property {number} [beatMs]
 * @property {number} [pollMs]
 * @property {number} [staleMs]
 */

/**
 * Runs `work` while no other process holds the lock at `dir`. Waits as long as the holder is alive: one that was killed
 * on this machine is noticed at once, one on another machine after a minute without a heartbeat.
 *
 * @template T
 * @param {string} dir the lock's path; its parent is created
 * @param {LockOptions} options
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} what `work` returns
 */
export async function withLock(dir, options, work) {
  const token = await takeLock(dir, options);
  const beat = setInterval(() => touch(path.join(dir, token)), options.beatMs ?? BEAT_MS);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    dropLock(dir, token);
  }
}

/**
 * @param {string} dir
 * @param {LockOptions} options
 * @returns {Promise<string>} the token that owns the lock now
 */
async function takeLock(dir, { onWait, pollMs = 250, staleMs = STALE_MS }) {
  const token = randomUUID();
  const prepared = `${dir}.${token}`;
  mkdirSync(prepared, { recursive: true });
  try {
    writeFileSync(path.join(prepared, token), JSON.stringify({ pid: process.pid, host: os.hostname() }));
    let told = false;
    let seen = { state: '', at: 0 };
    for (;;) {
      touch(path.join(prepared, token));
      if (tryRename(prepared, dir)) return token;
      const holder = readHolder(dir);
      if (!holder) {
        removeEmpty(dir);
      } else {
        const state = `${holder.token} ${holder.beat}`;
        // The waiter's own clock counts: machines that share a folder need not agree on the time, and after a sleep of
        // the whole machine the holder gets its minute like anyone.
        if (state !== seen.state) seen = { state, at: performance.now() };
        if (isDead(holder) || performance.now() - seen.at > staleMs) {
          dropLock(dir, holder.token);
          continue;
        }
        if (!told) onWait?.(`process ${holder.pid} on ${holder.host}`);
        told = true;
      }
      await sleep(pollMs);
    }
  } finally {
    rmSync(prepared, { recursive: true, force: true });
  }
}

/**
 * @param {string} dir
 * @returns {{ token: string, pid: number, host: string, beat: number } | undefined} undefined when nobody holds it
 */
function readHolder(dir) {
  try {
    const token = readdirSync(dir)[0];
    if (token === undefined) return undefined;
    const file = path.join(dir, token);
    const { pid, host } = JSON.parse(readFileSync(file, 'utf8'));
    return { token, pid: Number(pid), host: String(host), beat: statSync(file).mtimeMs };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined; // released in between
    throw error;
  }
}

/** @param {{ pid: number, host: string }} holder */
function isDead(holder) {
  if (holder.host !== os.hostname()) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH'; // EPERM: alive, another user's
  }
}

/**
 * Gives the lock up, or breaks it; does nothing unless `token` owns it.
 *
 * @param {string} dir
 * @param {string} token
 */
function dropLock(dir, token) {
  try {
    unlinkSync(path.join(dir, token));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  removeEmpty(dir);
}

/** @param {string} dir */
function removeEmpty(dir) {
  try {
    rmdirSync(dir);
  } catch {
    // Gone already, or taken by the next holder in this very moment: both fine.
  }
}

/** @param {string} file */
function touch(file) {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Someone broke the lock while this process stood still; it must not come back to life.
  }
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {boolean} false when somebody holds the lock
 */
function tryRename(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    // What a folder that is not empty gives: the first two on POSIX, the others on Windows.
    if (['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'].includes(codeOf(error))) return false;
    throw error;
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException | undefined} */ (error)?.code ?? '';
}
