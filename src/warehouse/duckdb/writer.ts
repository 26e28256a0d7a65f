import { LeaseLostError, type Lease, type WaitOptions } from '../../store/lease.js';
import { takeLeaseOf } from '../../store/publish-version.js';
import { checkpointsIn, takeCheckpoint, WRITER_LEASE } from './checkpoint.js';
import { workingCopyOf } from '../../store/working-copy/open.js';
import type { WorkingCopy } from '../../store/working-copy/working-copy.js';

/** The right of one process to write the warehouse, with the data in a bucket. */
export interface Writer {
  copy: WorkingCopy;
  lease: Lease;
  /** Whether the warehouse may lack parts that the writer before had loaded. */
  isBehind: boolean;
}

/** The writers of this process, by data folder. */
const writers = new Map<string, Writer>();

/**
 * Waits for the lease of the warehouse, then takes the newest checkpoint.
 * @param options `asks`: asks the holder for the lease. `onWait`: called once if another process holds the lease, with
 * its description. `onLost`: called with a sentence if the checkpoint is missing or damaged
 */
export async function becomeWriter(
  copy: WorkingCopy,
  options: Pick<WaitOptions, 'what' | 'asks' | 'signal' | 'onWait'> & { onLost?: (message: string) => void },
): Promise<Writer> {
  const lease = await takeLeaseOf(checkpointsIn(copy.storage), options);
  try {
    await takeCheckpoint(copy, options.onLost ?? (() => undefined));
  } catch (error) {
    await lease.release();
    throw error;
  }
  const writer = { copy, lease, isBehind: true };
  writers.set(copy.dataDir, writer);
  return writer;
}

/**
 * Checks that this process may still write the warehouse. Does nothing if the data is in a folder, because the lock of
 * the folder protects it.
 * @throws LeaseLostError when another process writes the warehouse now
 */
export async function assertWriter(dataDir: string): Promise<void> {
  const copy = workingCopyOf(dataDir);
  if (copy === undefined) return;
  const writer = writers.get(dataDir);
  if (writer === undefined) throw new LeaseLostError(copy.storage, WRITER_LEASE);
  await writer.lease.assertHeld();
}

/**
 * Checks that this process did not lose the lease. Does nothing if it never had it.
 * @throws LeaseLostError when another process writes the warehouse now, or this process released the lease
 */
export async function assertNotLost(dataDir: string): Promise<void> {
  await writers.get(dataDir)?.lease.assertHeld();
}

/** Returns the writer of a data folder in this process; undefined if this process does not hold the lease. */
export function writerOf(dataDir: string): Writer | undefined {
  const writer = writers.get(dataDir);
  return writer?.lease.lost.aborted === false ? writer : undefined;
}
