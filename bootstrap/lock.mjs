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
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// A lock between processes that survives a killed holder. src/store/lock/lock.ts works in the same way, but cannot be loaded
// before the packages are installed.
//
// The lock is a folder with one entry, `<token>.<heartbeat>`: a file with `{pid, host, place}`. Each step renames or
// deletes one exact name, so only one of several processes succeeds:
//
// - take: rename a prepared folder to the lock's path
// - heartbeat: rename the file to its next number
// - break: delete exactly the file that was watched
//
// A suspended holder that lost the lock has no file to rename, so it cannot get the lock back.

const BEAT_MS = 2_000;
/**
 * A holder without a heartbeat for this time is treated as dead. Its process id alone proves nothing: a process that
 * started later may have the same id.
 */
const STALE_MS = 60_000;

/**
 * Options for waiting for a lock.
 *
 * @typedef {object} LockOptions
 * @property {(holder: string) => void} [onWait] called once, with a name for the holder, if the caller must wait
 * @property {number} [beatMs] time between two heartbeats; default 2,000
 * @property {number} [pollMs] time between two attempts to take the lock; default 250
 * @property {number} [staleMs] time without a heartbeat after which the lock is broken; default 60,000
 */

/**
 * Runs `work` while no other process holds the lock at `dir`. Waits while the holder is alive. If the holder was killed
 * on this machine, takes the lock at once. If the holder was killed in another container or on another machine, takes
 * the lock after a minute without a heartbeat.
 *
 * @template T
 * @param {string} dir the lock's path; its parent is created
 * @param {LockOptions} options
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} the result of `work`
 */
export async function withLock(dir, options, work) {
  const token = await takeLock(dir, options);
  let heartbeat = 0;
  const beat = setInterval(() => {
    const file = path.join(dir, `${token}.${heartbeat}`);
    if (tryRename(file, path.join(dir, `${token}.${heartbeat + 1}`))) heartbeat++;
    // This process was suspended, and another process broke the lock meanwhile.
    else if (!existsSync(file)) clearInterval(beat);
  }, options.beatMs ?? BEAT_MS);
  beat.unref();
  try {
    return await work();
  } finally {
    clearInterval(beat);
    dropLock(dir, `${token}.${heartbeat}`);
  }
}

/**
 * Waits for the lock and takes it.
 *
 * @param {string} dir
 * @param {LockOptions} options
 * @returns {Promise<string>} the token that now owns the lock
 */
async function takeLock(dir, { onWait, pollMs = 250, staleMs = STALE_MS }) {
  const token = randomUUID();
  const prepared = `${dir}.${token}`;
  mkdirSync(prepared, { recursive: true });
  try {
    const self = { pid: process.pid, host: os.hostname(), place: findPlace() };
    writeFileSync(path.join(prepared, `${token}.0`), JSON.stringify(self));
    let told = false;
    let seen = { name: '', at: 0 };
    for (;;) {
      if (tryRename(prepared, dir)) return token;
      const holder = readHolder(dir);
      if (!holder) {
        removeEmpty(dir);
      } else {
        // Measure with the waiter's own clock, because machines that share a folder may show different times.
        // If the whole machine was suspended, the holder still gets its full minute.
        if (holder.name !== seen.name) seen = { name: holder.name, at: performance.now() };
        if (isGone(holder) || performance.now() - seen.at > staleMs) {
          dropLock(dir, holder.name);
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
 * Reads the holder of a lock.
 *
 * @param {string} dir
 * @returns {{ name: string, pid: number, host: string, place: string } | undefined} undefined if the
 *   lock is free
 */
function readHolder(dir) {
  try {
    const name = readdirSync(dir)[0];
    if (name === undefined) return undefined;
    const { pid, host, place } = JSON.parse(readFileSync(path.join(dir, name), 'utf8'));
    return { name, pid: Number(pid), host: String(host), place: String(place ?? '') };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined; // another process released the lock just now
    throw error;
  }
}

/**
 * Identifies the boot, the process namespace and the host in which this process id is valid. The id alone is not
 * enough: two containers may both have a process 1.
 *
 * @returns {string} empty where the system has no such information
 */
function findPlace() {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${os.hostname()}`;
  } catch {
    return '';
  }
}

/**
 * Whether the holder's process has ended. False if this process cannot check, because the holder runs elsewhere.
 *
 * @param {{ pid: number, place: string }} holder
 */
function isGone(holder) {
  if (holder.place === '' || holder.place !== findPlace()) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH'; // EPERM: the process is alive and belongs to another user
  }
}

/**
 * Releases or breaks the lock. Does nothing if the holder's file has another name by now.
 *
 * @param {string} dir
 * @param {string} name
 */
function dropLock(dir, name) {
  try {
    unlinkSync(path.join(dir, name));
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
    // The folder is already deleted, or the next holder has just taken the lock. Both are fine.
  }
}

/**
 * Renames a file or folder.
 *
 * @param {string} from
 * @param {string} to
 * @returns {boolean} false when another process holds or broke the lock
 */
function tryRename(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    // If the target folder is not empty, POSIX reports ENOTEMPTY or EEXIST, and Windows reports EPERM or EACCES. ENOENT
    // means that `from` does not exist.
    if (['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'ENOENT'].includes(codeOf(error))) return false;
    throw error;
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException | undefined} */ (error)?.code ?? '';
}
