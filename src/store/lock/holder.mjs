import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/*
 * Decides when the holder of a lock or lease counts as dead, and waits for it.
 *
 * The wall clocks of two machines differ, and process ids are not unique: in every container, the main process has the
 * id 1. So a waiter watches the holder's heartbeat and measures with its own monotonic clock. If the heartbeat does not
 * change for a whole lease, the holder counts as dead.
 *
 * Plain JavaScript, because `bootstrap/` uses it before any package is installed.
 */

/**
 * Describes a holder to other processes.
 * @typedef {object} Holder
 * @property {string} what what the holder does, such as `tidemark replay`. Messages show this text
 * @property {number} pid
 * @property {string} host
 * @property {string} place identifies the boot and process namespace to which `pid` belongs; empty if the system does not
 *   report them
 */

/**
 * What one waiter has observed about a holder. Times are in milliseconds.
 * @typedef {object} Watch
 * @property {string} id identifies the holder
 * @property {number | string} beat the holder's heartbeat, as this waiter saw it last
 * @property {number} unchangedMs how long this waiter has seen the same holder with the same heartbeat
 * @property {number} at when this waiter looked last, by its monotonic clock
 * @property {boolean} moved whether this waiter has seen the heartbeat of this holder change
 */

/**
 * Updates what a waiter knows after one more look at the holder. Pure.
 * @param {Watch | undefined} before
 * @param {Pick<Watch, 'id' | 'beat'>} seen
 * @param {number} at
 * @param {number} longestStepMs the most that one look may add to `unchangedMs`. The limit matters for a waiter that was
 *   paused (SIGSTOP, paused container, suspended machine): it observed nothing during the pause
 * @returns {Watch}
 */
export function look(before, { id, beat }, at, longestStepMs) {
  if (before?.id !== id) return { id, beat, unchangedMs: 0, at, moved: false };
  if (before.beat !== beat) return { id, beat, unchangedMs: 0, at, moved: true };
  const step = Math.min(Math.max(at - before.at, 0), longestStepMs);
  return { ...before, unchangedMs: before.unchangedMs + step, at };
}

/**
 * Describes a holder for messages.
 * @param {Pick<Holder, 'what' | 'pid' | 'host'> | undefined} holder
 */
export function describeHolder(holder) {
  return holder === undefined ? 'another process' : `${holder.what} (process ${holder.pid} on ${holder.host})`;
}

/**
 * Describes this process as a holder.
 * @param {string} what
 * @param {string} place
 * @returns {Holder}
 */
export function thisProcess(what, place) {
  return { what, pid: process.pid, host: hostname(), place };
}

/**
 * Whether the holder is certainly dead: it ran in the boot and namespace of this process (`here`), and no process there
 * has its id now. If a process has that id, the answer is false: the process may be the holder, or may reuse its id. The
 * lease then decides.
 * @param {Pick<Holder, 'pid' | 'place'>} holder
 * @param {string} here
 * @param {(pid: number) => boolean} exists
 */
export function isCertainlyGone(holder, here, exists = processExists) {
  return here !== '' && holder.place === here && !exists(holder.pid);
}

/** @type {string | undefined} */
let foundPlace;

/**
 * Identifies the boot, the process namespace and the host of this process. Returns an empty text if the system does not
 * report them. A process sees only processes of the same boot and namespace, and none in another container.
 */
export function findPlace() {
  try {
    foundPlace ??= `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')} ${hostname()}`;
  } catch {
    foundPlace = '';
  }
  return foundPlace;
}

/**
 * Whether a process with this id exists in this process's namespace.
 * @param {number} pid
 */
export function processExists(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Error EPERM means: the process exists but belongs to another user.
    return /** @type {NodeJS.ErrnoException} */ (error).code !== 'ESRCH';
  }
}

/**
 * Tries to take a lock or lease. Remembers between attempts what it observed about the holder.
 * @template T
 * @typedef {object} Seeker
 * @property {() => T | undefined | Promise<T | undefined>} attempt
 * @property {string} holder describes the holder for messages
 */

/**
 * How to wait. Times are in milliseconds.
 * @typedef {object} Waiting
 * @property {number} pollMs time between two attempts
 * @property {(waitedMs: number) => boolean} [isOver] ends the wait; asked after each failed attempt
 * @property {((holder: string) => void) | undefined} [onWait] called once, after one second, with a description of the
 *   holder. Short waits are not reported: many holders release their lock within a second
 * @property {AbortSignal | undefined} [signal] ends the wait
 */

/**
 * Attempts until it succeeds.
 * @template T
 * @param {Seeker<T>} seeker
 * @param {Waiting} waiting
 * @returns {Promise<T | undefined>} undefined if `isOver` ended the wait
 * @throws AbortError when `signal` aborts
 */
export async function waitFor(seeker, { pollMs, isOver, onWait, signal }) {
  const begun = performance.now();
  for (let reported = false; ;) {
    const taken = await seeker.attempt();
    if (taken !== undefined) return taken;
    const waitedMs = performance.now() - begun;
    if (isOver?.(waitedMs) === true) return undefined;
    if (!reported && waitedMs > 1_000) {
      onWait?.(seeker.holder);
      reported = true;
    }
    await delay(pollMs, undefined, { signal });
  }
}
