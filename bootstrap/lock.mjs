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
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// A lock between processes that survives a killed holder, as src/core/lock.ts, which cannot be loaded before packages are
// installed. The lock is a folder with one entry, `<token>.<heartbeat>`, a file holding `{pid, host, place}`. Each step is one
// rename of an exact name, so of several processes one succeeds: taking renames a prepared folder into place, a heartbeat
// renames the file to its next number, breaking removes the very file that was watched. A holder that stood still and lost
// the lock has no file to rename: it never comes back to life.

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
 * on this machine is noticed at once, one in another container or on another machine after a minute without a heartbeat.
 *
 * @template T
 * @param {string} dir the lock's path; its parent is created
 * @param {LockOptions} options
 * @param {() => Promise<T>} work
 * @returns {Promise<T>} what `work` returns
 */
export async function withLock(dir, options, work) {
  const token = await takeLock(dir, options);
  let heartbeat = 0;
  const beat = setInterval(() => {
    const file = path.join(dir, `${token}.${heartbeat}`);
    if (tryRename(file, path.join(dir, `${token}.${heartbeat + 1}`))) heartbeat++;
    // Broken while this process stood still.
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
 * @param {string} dir
 * @param {LockOptions} options
 * @returns {Promise<string>} the token that owns the lock now
 */
async function takeLock(dir, { onWait, pollMs = 250, staleMs = STALE_MS }) {
  const token = randomUUID();
  const prepared = `${dir}.${token}`;
  mkdirSync(prepared, { recursive: true });
  try {
    const self = { pid: process.pid, host: os.hostname(), place: findPlace() };
    writeFileSync(path.join(prepared, `${token}.0`), JSON.stringify(self));
    let told = false;
    let seen = { state: '', at: 0 };
    for (;;) {
      if (tryRename(prepared, dir)) return token;
      const holder = readHolder(dir);
      if (!holder) {
        removeEmpty(dir);
      } else {
        // The waiter's own clock counts: machines that share a folder need not agree on the time, and after a sleep of
        // the whole machine the holder gets its minute like anyone.
        if (holder.state !== seen.state) seen = { state: holder.state, at: performance.now() };
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
 * @param {string} dir
 * @returns {{ name: string, state: string, pid: number, host: string, place: string } | undefined} undefined when nobody holds it
 */
function readHolder(dir) {
  try {
    const name = readdirSync(dir)[0];
    if (name === undefined) return undefined;
    const file = path.join(dir, name);
    const { pid, host, place } = JSON.parse(readFileSync(file, 'utf8'));
    // Earlier versions touch the file in place of renaming it.
    const state = `${name} ${statSync(file).mtimeMs}`;
    return { name, state, pid: Number(pid), host: String(host), place: String(place ?? '') };
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined; // released in between
    throw error;
  }
}

/**
 * Boot and process namespace in which this process's id has its meaning: another container has process 1 as well.
 * @returns {string} empty where the system does not tell
 */
function findPlace() {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')} ${os.hostname()}`;
  } catch {
    return '';
  }
}

/** @param {{ pid: number, place: string }} holder */
function isGone(holder) {
  if (holder.place === '' || holder.place !== findPlace()) return false;
  try {
    process.kill(holder.pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH'; // EPERM: alive, another user's
  }
}

/**
 * Gives the lock up, or breaks it; does nothing unless the holder's file has this very name.
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
    // Gone already, or taken by the next holder in this very moment: both fine.
  }
}

/**
 * @param {string} from
 * @param {string} to
 * @returns {boolean} false when somebody holds the lock, or broke it
 */
function tryRename(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    // What a folder that is not empty gives: the first two on POSIX, the next two on Windows. The last: nothing to rename.
    if (['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'ENOENT'].includes(codeOf(error))) return false;
    throw error;
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return /** @type {NodeJS.ErrnoException | undefined} */ (error)?.code ?? '';
}
