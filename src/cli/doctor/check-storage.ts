import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { TidemarkError } from '../../base/errors.js';
import { readLease } from '../../store/lease.js';
import { describeHolder } from '../../store/lock/holder.mjs';
import { isStorageError } from '../../store/errors.js';
import { fail, ok, skip, warn, type Finding } from './finding.js';
import type { Storage } from '../../store/storage.js';

const RACERS = 8;
const WARN_SECONDS = 30;
/** S3 refuses requests whose time differs by more than this. */
const REFUSED_SECONDS = 900;
/** Holders send a heartbeat every 5 s. */
const BEAT_WAIT_MS = 7_000;
const LOOK_MS = 200;

/** What to check. */
export interface StorageCheck {
  /** Setting that names the place, such as `publish.to`. Begins the name of each check. */
  setting: string;
  /** Key of the lease of the process that writes to the place. */
  lease: string;
  /** How long to wait for a heartbeat of the lease's holder, in milliseconds. */
  beatWaitMs?: number;
}

/**
 * Checks a bucket or folder that several processes use: rights, conditional writes, clock and lease. Writes files with
 * names of their own, and removes them.
 */
export async function checkStorage(storage: Storage, check: StorageCheck): Promise<Finding[]> {
  const { setting } = check;
  const clock = await checkClock(storage, `${setting}: clock`);
  const rights = await checkRights(storage, `${setting}: rights`);
  return [
    rights,
    rights.state === 'ok'
      ? await checkConditions(storage, `${setting}: writes`)
      : skip(`${setting}: writes`, 'not checked without the rights'),
    ...clock,
    await checkLease(storage, check),
  ];
}

/** Lists, creates, reads, replaces and removes a file. */
async function checkRights(storage: Storage, check: string): Promise<Finding> {
  const key = newKey();
  let step = 'list files';
  try {
    for await (const _ of storage.list(key)) break;
    step = 'create a file';
    const version = await storage.create(key, body('one'));
    step = 'read a file';
    const found = await storage.read(key);
    if (found?.body.toString() !== 'one' || found.version !== version)
      return wrong(check, storage, 'does not return the file that was just written');
    step = 'list files';
    const keys: string[] = [];
    for await (const entry of storage.list(key)) keys.push(entry.key);
    if (!keys.includes(key)) return wrong(check, storage, 'does not list the file that was just written');
    step = 'replace a file';
    await storage.replace(key, body('two'), version);
    step = 'remove a file';
    await storage.remove(key);
    if ((await storage.read(key)) !== undefined) return wrong(check, storage, 'still has a file that was removed');
    return ok(check, `${storage.name}: list, create, read, replace and remove succeed`);
  } catch (error) {
    const { message, todo } = fail(check, error);
    return { check, state: 'fail', message: `cannot ${step}: ${message}`, todo };
  } finally {
    await storage.remove(key).catch(() => undefined);
  }
}

/** Checks that the place refuses a second `create`, and a `replace` of an old version, also if several writers race. */
async function checkConditions(storage: Storage, check: string): Promise<Finding> {
  const key = newKey();
  try {
    const version = await storage.create(key, body('one'));
    if (await succeeds(storage.create(key, body('again')), 'exists'))
      return unsafe(check, storage, 'lets a second process create the same file (it ignores If-None-Match)');
    const next = await storage.replace(key, body('two'), version);
    if (await succeeds(storage.replace(key, body('late'), version), 'changed'))
      return unsafe(check, storage, 'lets a process replace a file that changed meanwhile (it ignores If-Match)');
    const races = Array.from({ length: RACERS }, (_, i) =>
      succeeds(storage.replace(key, body(`racer ${i}`), next), 'changed'),
    );
    const winners = (await Promise.all(races)).filter(Boolean).length;
    if (winners !== 1) return unsafe(check, storage, `lets ${winners} of ${RACERS} processes replace the same version`);
    return ok(
      check,
      `a second create and a late replace are refused; of ${RACERS} writers at once, exactly one succeeded`,
    );
  } catch (error) {
    return fail(check, error);
  } finally {
    await storage.remove(key).catch(() => undefined);
  }
}

/** Compares the clock of this machine with that of the service. No finding for a folder: it has no clock. */
async function checkClock(storage: Storage, check: string): Promise<Finding[]> {
  if (storage.serviceTime === undefined) return [];
  try {
    const sent = Date.now();
    const served = await storage.serviceTime();
    if (served === undefined) return [skip(check, 'the service does not say its time')];
    // The service names whole seconds, and answered at some instant between both readings of the clock.
    const ahead = Math.max(0, sent - served.getTime() - 1_000, served.getTime() - Date.now()) / 1_000;
    const seconds = Math.round(ahead);
    if (seconds < WARN_SECONDS) return [ok(check, `the clock of this machine agrees with the service (${seconds} s)`)];
    const way = sent > served.getTime() ? 'ahead of' : 'behind';
    const message = `the clock of this machine is ${seconds} s ${way} the clock of the service`;
    const todo = `Set the clock of this machine with NTP. S3 refuses requests from ${REFUSED_SECONDS / 60} minutes on.`;
    return [seconds < REFUSED_SECONDS ? warn(check, message, todo) : { check, state: 'fail', message, todo }];
  } catch (error) {
    return [failOrSkip(check, error)];
  }
}

/** Says who holds the lease, and whether the holder sends heartbeats. */
async function checkLease(
  storage: Storage,
  { setting, lease, beatWaitMs = BEAT_WAIT_MS }: StorageCheck,
): Promise<Finding> {
  const check = `${setting}: lease`;
  try {
    const held = await readLease(storage, lease);
    if (held === undefined) return ok(check, `free: no process took ${lease} yet`);
    const holder = `${describeHolder(held.holder)}, since ${held.since}`;
    if (held.released) return ok(check, `free; last holder: ${holder}`);
    const message = `held by ${holder}`;
    const until = performance.now() + beatWaitMs;
    while (performance.now() < until) {
      await delay(LOOK_MS);
      const later = await readLease(storage, lease);
      if (later?.beat !== held.beat || later.released || later.token !== held.token)
        return ok(check, `${message}; it sends heartbeats`);
    }
    return warn(
      check,
      `${message}; it sent no heartbeat for ${beatWaitMs / 1_000} s`,
      'Nothing to do if that process has ended: the next one takes the lease 30 s after the last heartbeat. If it still runs, it is paused, or cannot reach the place.',
    );
  } catch (error) {
    return failOrSkip(check, error);
  }
}

/** Does not repeat for each check that the place cannot be reached. */
function failOrSkip(check: string, error: unknown): Finding {
  if (isStorageError(error, 'unreachable')) return skip(check, 'not checked: the place cannot be reached');
  return fail(check, error);
}

/** Whether a write succeeds. A refusal with the expected reason is false; any other error is thrown. */
async function succeeds(write: Promise<unknown>, refusal: 'exists' | 'changed'): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (isStorageError(error, refusal)) return false;
    throw error;
  }
}

function wrong(check: string, storage: Storage, what: string): Finding {
  const error = new TidemarkError('StorageDenied', `${storage.name} ${what}.`, {
    todo: 'Use a service whose reads and lists show each write at once.',
  });
  return fail(check, error);
}

function unsafe(check: string, storage: Storage, what: string): Finding {
  const error = new TidemarkError('StorageDenied', `${storage.name} ${what}.`, {
    todo: 'Two processes could overwrite each other. Use a service with conditional writes (If-None-Match and If-Match).',
  });
  return fail(check, error);
}

function newKey(): string {
  return `doctor-${randomUUID()}`;
}

function body(text: string): Buffer {
  return Buffer.from(text);
}
