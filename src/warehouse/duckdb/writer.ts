import { LeaseLostError, type Lease, type WaitOptions } from '../../store/lease.js';
import { takeLeaseOf } from '../../store/publish-version.js';
import { checkpointsIn, takeCheckpoint, WRITER_LEASE } from './checkpoint.js';
import type { Data, SharedData } from '../../store/data.js';

/** The right of one process to write the warehouse, with the data in a bucket. */
export interface Writer {
  copy: SharedData;
  lease: Lease;
  /** Whether the warehouse may lack parts that the writer before had loaded. */
  isBehind: boolean;
}

/**
 * Waits for the lease of the warehouse, then takes the newest checkpoint.
 * @param options `asks`: asks the holder for the lease. `onWait`: called once if another process holds the lease, with
 * its description. `onLost`: called with a sentence if the checkpoint is missing or damaged
 */
export async function becomeWriter(
  copy: SharedData,
  options: Pick<WaitOptions, 'what' | 'asks' | 'signal' | 'onWait'> & { onLost?: (message: string) => void },
): Promise<Writer> {
  const lease = await takeLeaseOf(checkpointsIn(copy.storage), options);
  try {
    await takeCheckpoint(copy, options.onLost ?? (() => undefined));
  } catch (error) {
    await lease.release();
    throw error;
  }
  copy.writing = lease;
  return { copy, lease, isBehind: true };
}

/**
 * Checks that this process may still write the warehouse. Does nothing if the data is in a folder, because the lock of
 * the folder protects it.
 * @returns the lease; undefined if the data is in a folder
 * @throws LeaseLostError when another process writes the warehouse now
 */
export async function assertWriter(data: Data): Promise<Lease | undefined> {
  if (!data.isShared()) return undefined;
  if (data.writing === undefined) throw new LeaseLostError(data.storage, WRITER_LEASE);
  await data.writing.assertHeld();
  return data.writing;
}

/** Whether this process may write the warehouse. With the data in a bucket, it needs the lease. */
export function mayWrite(data: Data): boolean {
  return !data.isShared() || data.writing?.lost.aborted === false;
}
