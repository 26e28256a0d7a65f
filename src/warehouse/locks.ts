import path from 'node:path';
import { TidemarkError } from '../core/errors.js';
import { tryLock, withLock, type Lock } from '../core/lock.js';
import { WarehouseBusyError } from './errors.js';
import { publishedDir, warehouseFile } from './paths.js';
import { landingDir } from '../landing/index.js';

/*
 * Who may change what of a data folder. Each lock lies on the file system of what it guards, so that files can be moved
 * through it (see core/lock.ts). Taken in this order, never the other way round:
 *
 * 1. writer     the warehouse file: loads, models, compaction, and `replay` until it has replaced and published it
 * 2. landing    removal of landed parts (compaction), against a replay that reads them
 * 3. switch     `data/published`: which build readers see, and which builds are kept
 */

const SWITCH_WAIT_MS = 600_000;
// A writer lists the whole landing zone in one go, which may take long on a network file system.
const WRITER_LEASE_MS = 60_000;

/**
 * The lock of the one writer of the warehouse. A dead writer's is taken over.
 * @throws WarehouseBusyError once its holder is seen to live
 */
export async function lockWriter(dataDir: string, what = 'a writer'): Promise<Lock> {
  const dir = path.join(path.dirname(warehouseFile(dataDir)), 'writer.lock');
  const { lock, holder } = await tryLock(dir, { what, leaseMs: WRITER_LEASE_MS });
  if (lock === undefined) throw new WarehouseBusyError(warehouseFile(dataDir), undefined, holder);
  return lock;
}

/** Reads all landed parts while none is removed; waits for a compaction to end. */
export async function whileNothingIsRemoved<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  return withLock(landingLock(dataDir), { what: 'tidemark replay' }, work);
}

/**
 * Removes landed parts while no replay reads them.
 * @throws TidemarkError `WarehouseBusy` when one does: waiting for it would hold up every load
 */
export async function whileNobodyReplays<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  const { lock, holder } = await tryLock(landingLock(dataDir), { what: 'tidemark compact' });
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

/** Changes what readers see. Waits for others who do. */
export async function whileSwitching<T>(
  dataDir: string,
  work: (lock: Lock) => Promise<T>,
  onWait?: (holder: string) => void,
): Promise<T> {
  const options = { what: 'a publication', waitMs: SWITCH_WAIT_MS, onWait };
  return withLock(path.join(publishedDir(dataDir), 'switch.lock'), options, work);
}

function landingLock(dataDir: string): string {
  return path.join(landingDir(dataDir), 'removal.lock');
}
