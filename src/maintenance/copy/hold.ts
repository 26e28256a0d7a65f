import { existsSync } from 'node:fs';
import { unprovenFile, warehouseFile } from '../../store/data-folder.js';
import { TidemarkError } from '../../base/errors.js';
import { lockWriter } from '../../warehouse/duckdb/locks.js';
import { openWarehouse } from '../../warehouse/duckdb/open.js';
import type { Lease } from '../../store/lease.js';
import type { Lock } from '../../store/lock/lock.js';
import { takeLeaseOf } from '../../store/publish-version.js';
import { checkpointsIn } from '../../warehouse/duckdb/checkpoint.js';
import type { Place } from './place.js';
import { Data } from '../../store/data.js';

const WHAT = 'tidemark data copy';
// A dead holder loses the lease after 30 s.
const WAIT_MS = 45_000;

/** The right to write the warehouse of a place: the lock of a folder, or the lease of a bucket. */
export type Right = Lock | Lease;

/**
 * Keeps all writers away from the warehouse of a place.
 * @param onWait called with the holder, if the lease of a bucket is not free
 * @throws TidemarkError if a process writes the warehouse
 */
export async function hold({ storage, dataDir }: Place, onWait?: (holder: string) => void): Promise<Right> {
  if (dataDir !== undefined) return lockWriter(new Data(dataDir), WHAT);
  return takeLeaseOf(checkpointsIn(storage), { what: WHAT, asks: true, waitMs: WAIT_MS, onWait });
}

/** Makes the warehouse of a source folder one complete file, if a killed writer left a write-ahead log. */
export async function settleWarehouse({ dataDir }: Place): Promise<void> {
  if (dataDir === undefined || !existsSync(`${warehouseFile(dataDir)}.wal`)) return;
  await (await openWarehouse(new Data(dataDir), { what: WHAT })).close();
}

/** @throws TidemarkError if a `tidemark forget` in the source is not finished */
export function refuseUnfinishedForget({ dataDir }: Place): void {
  if (dataDir === undefined || !existsSync(unprovenFile(dataDir))) return;
  throw new TidemarkError('InvalidInput', `A \`tidemark forget\` in ${dataDir} is not finished.`, {
    todo: 'Run that command again. Then copy.',
  });
}
