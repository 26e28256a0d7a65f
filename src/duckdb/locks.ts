import { removalLock, switchLock, warehouseFile, writerLock } from '../core/data-folder.js';
import { TidemarkError } from '../core/errors.js';
import { tryLock, withLock, type Lock } from '../core/lock.js';
import { WarehouseBusyError } from './errors.js';

/*
 * Locks that guard a data folder. Each lock is on the same file system as the files it guards: the holder moves files
 * through the lock (see src/core/lock.ts). To avoid deadlocks, always take locks in this order:
 *
 * 1. writer     the warehouse file: loads, models, compaction, and `replay` until it has replaced and published it
 * 2. landing    removal of landed parts (compaction), against a replay that reads them
 * 3. switch     `data/published`: which build readers see, and which builds are kept
 */

const SWITCH_WAIT_MS = 600_000;
// The writer lists the whole landing zone without a heartbeat, which can be slow on a network file system.
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

/** Reads all landed parts and keeps compaction from removing any. Waits for a running compaction to end. */
export async function whileNothingIsRemoved<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  return withLock(removalLock(dataDir), { what: 'tidemark replay' }, work);
}

/**
 * Removes landed parts while no replay reads them.
 * @throws TidemarkError `WarehouseBusy` when a replay reads them; waiting would block every load
 */
export async function whileNobodyReplays<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const { lock, holder } = await tryLock(removalLock(dataDir), { what: 'tidemark compact' });
  if (lock === undefined) {
    throw new TidemarkError('WarehouseBusy', `The landing zone of ${dataDir} is in use by ${holder}.`, {
      todo: 'Wait for that replay to end, then compact again.',
      retryable: true,
    });
  }
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Changes which build readers see. Waits up to 10 minutes while another process does the same. */
export async function whileSwitching<T>(
  dataDir: string,
  work: (lock: Lock) => Promise<T>,
  onWait?: (holder: string) => void,
): Promise<T> {
  const options = { what: 'a publication', waitMs: SWITCH_WAIT_MS, onWait };
  return withLock(switchLock(dataDir), options, work);
}
