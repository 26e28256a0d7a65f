import { removalLock, switchLock, warehouseFile, writerLock } from '../../store/data-folder.js';
import { TidemarkError } from '../../base/errors.js';
import { tryLock, withLock, type Lock } from '../../store/lock/lock.js';
import { mayWrite } from './writer.js';
import { WarehouseBusyError } from './errors.js';
import { MINUTE_MS } from '../../base/time/time.js';
import type { Data } from '../../store/data.js';

/*
 * Locks that protect a data folder. The holder of a lock moves files through the lock's folder (see src/store/lock/folder-lock.mjs).
 * So each lock is on the same file system as the files that it protects.
 *
 * To avoid deadlocks, always take locks in this order:
 *
 * 1. writer     guards the warehouse file: loads, models, compaction, and `replay` until it has published
 * 2. landing    keeps compaction from removing landed parts while a replay reads them
 * 3. switch     guards `data/published`: the link to the current build, builds that are taken from the bucket, and the
 *               removal of old builds
 */

const SWITCH_WAIT_MS = 10 * MINUTE_MS;
// While the writer lists all landed parts, it sends no heartbeat. On a slow network file system, this may take most of
// this time.
const WRITER_LEASE_MS = 60_000;

/**
 * Takes the lock that allows only one writer of the warehouse. If the writer that holds it is dead, takes the lock from
 * it.
 * @throws WarehouseBusyError when another live writer holds the lock
 * @throws TidemarkError `WarehouseBusy` when the data is in a bucket, and this process does not hold its lease
 */
export async function lockWriter(data: Data, what = 'a writer'): Promise<Lock> {
  const { dataDir } = data;
  if (!mayWrite(data)) throw notWriter(dataDir, what);
  return lockFile(dataDir, what);
}

/**
 * Takes the lock of this machine's warehouse file. With the data in a bucket, this gives no right to write the warehouse.
 * @throws WarehouseBusyError when another live process holds the lock
 */
export async function lockFile(dataDir: string, what: string): Promise<Lock> {
  const { lock, holder } = await tryLock(writerLock(dataDir), { what, leaseMs: WRITER_LEASE_MS });
  if (lock === undefined) throw new WarehouseBusyError(warehouseFile(dataDir), undefined, holder);
  return lock;
}

/** Runs `work` while this process holds the lock of `lockWriter`. Throws as that does. */
export async function whileWriting<T>(data: Data, what: string, work: (lock: Lock) => Promise<T>): Promise<T> {
  const lock = await lockWriter(data, what);
  try {
    return await work(lock);
  } finally {
    lock.release();
  }
}

function notWriter(dataDir: string, what: string): TidemarkError {
  return new TidemarkError('WarehouseBusy', `${what} cannot write ${warehouseFile(dataDir)} now: it lost the lease.`, {
    todo: 'Another process writes the warehouse. Wait until it ends, then try again.',
    retryable: true,
  });
}

/**
 * Runs `work`, which reads all landed parts. Meanwhile, compaction cannot remove parts. If a compaction is running,
 * first waits for its end.
 */
export async function whileNothingIsRemoved<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  return withLock(removalLock(dataDir), { what: 'tidemark replay' }, work);
}

/**
 * Runs `work`, which removes landed parts. Meanwhile, no replay can read them.
 * @throws TidemarkError `WarehouseBusy` when a replay is reading landed parts. Does not wait for its end, because the
 * wait would block every load
 */
export async function whileNobodyReplays<T>(dataDir: string, what: string, work: () => Promise<T>): Promise<T> {
  const { lock, holder } = await tryLock(removalLock(dataDir), { what });
  if (lock === undefined) {
    throw new TidemarkError('WarehouseBusy', `The landing zone of ${dataDir} is in use by ${holder}.`, {
      todo: 'Wait for that command to end, then run this command again.',
      retryable: true,
    });
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/**
 * Runs `work`, which takes a build from the bucket or changes the build that readers see. If another process does the
 * same, waits up to 10 minutes for it.
 */
export async function whileSwitching<T>(
  dataDir: string,
  work: (lock: Lock) => Promise<T>,
  onWait?: (holder: string) => void,
): Promise<T> {
  const options = { what: 'a publication', waitMs: SWITCH_WAIT_MS, onWait };
  return withLock(switchLock(dataDir), options, work);
}
