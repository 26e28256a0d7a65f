import { removalLock, switchLock, warehouseFile, writerLock } from '../core/data-folder.js';
import { TidemarkError } from '../core/errors.js';
import { tryLock, withLock, type Lock } from '../core/lock.js';
import { WarehouseBusyError } from './errors.js';

/*
 * Locks that guard a data folder. Each lock is on the same file system as the files it guards: the holder moves files
 * through the folder of the lock (see src/core/lock.ts).
 *
 * To avoid deadlocks, always take locks in this order:
 *
 * 1. writer     guards the warehouse file: loads, models, compaction, and `replay` until it has published
 * 2. landing    keeps compaction from removing landed parts while a replay reads them
 * 3. switch     guards `data/published`: the link to the current build, and the removal of old builds
 */

const SWITCH_WAIT_MS = 600_000;
// Long enough to list the whole landing zone on a slow network file system. The writer sends no heartbeat while it
// lists the parts.
const WRITER_LEASE_MS = 60_000;

/**
 * Takes the lock of the only writer of the warehouse. Takes over the lock of a dead writer.
 * @throws WarehouseBusyError when the holder is alive
 */
export async function lockWriter(dataDir: string, what = 'a writer'): Promise<Lock> {
  const { lock, holder } = await tryLock(writerLock(dataDir), { what, leaseMs: WRITER_LEASE_MS });
  if (lock === undefined) throw new WarehouseBusyError(warehouseFile(dataDir), undefined, holder);
  return lock;
}

/**
 * Runs `work`, which reads all landed parts, while compaction cannot remove parts. Waits for a running compaction to
 * end.
 */
export async function whileNothingIsRemoved<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  return withLock(removalLock(dataDir), { what: 'tidemark replay' }, work);
}

/**
 * Runs `work`, which removes landed parts, while no replay can read them.
 * @throws TidemarkError `WarehouseBusy` when a replay reads landed parts; waiting would block every load
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
 * Runs `work`, which changes the build that readers see. Waits up to 10 minutes for another process that does the same.
 */
export async function whileSwitching<T>(
  dataDir: string,
  work: (lock: Lock) => Promise<T>,
  onWait?: (holder: string) => void,
): Promise<T> {
  const options = { what: 'a publication', waitMs: SWITCH_WAIT_MS, onWait };
  return withLock(switchLock(dataDir), options, work);
}
