import { randomBytes } from 'node:crypto';
import { WEBHOOK_RUN } from '../../schemas/pipeline/landing.js';
import type { Data } from '../store/data.js';
import { receiversDir } from '../store/data-folder.js';
import { namesIn } from '../store/files.js';
import { chunkOfSpool, runFolders, spoolsDir, type PartTarget } from './paths.js';

/*
 * Names of files for webhook deliveries. Several receivers may share a data folder, for example two machines behind a
 * load balancer. So every file name contains the random id of its receiver:
 * `_spool/part-<receiver>-<number>-<time>.spool`.
 */

/** Stream of the deliveries. */
export const STREAM = 'watch_events';

export function newReceiverId(): string {
  return `r${randomBytes(8).toString('hex')}`;
}

/** Lists the receivers that have a lock folder, even if no process holds the lock. */
export function listReceiverLocks(dataDir: string): string[] {
  return namesIn(receiversDir(dataDir)).filter((name) => /^r[0-9a-f]{16}$/.test(name));
}

/** Returns a name for the next chunk of a receiver. The name is unique even if the clock is set back. */
export function nextChunk(data: Data, receiver: string, number: number, now: Date): PartTarget {
  const time = now.toISOString();
  return targetOf(
    data,
    time.slice(0, 10),
    `${receiver}-${String(number).padStart(6, '0')}-${time.replaceAll(/\D/g, '')}`,
  );
}

/**
 * Lists the spooled chunks on this machine by receiver.
 * @param since first date to list, YYYY-MM-DD; default: the earliest
 */
export function listSpools(data: Data, since = ''): Map<string, PartTarget[]> {
  const found = new Map<string, PartTarget[]>();
  for (const { folder, date } of runFolders(data.dataDir, STREAM, since)) {
    for (const chunk of namesIn(spoolsDir(folder)).flatMap((name) => chunkOfSpool(name) ?? [])) {
      const receiver = /^r[0-9a-f]{16}(?=-)/.exec(chunk)?.[0];
      if (receiver !== undefined) found.set(receiver, [...(found.get(receiver) ?? []), targetOf(data, date, chunk)]);
    }
  }
  return found;
}

/** Names a chunk of deliveries. */
export function targetOf(data: Data, date: string, chunk: string): PartTarget {
  return { data, stream: STREAM, run: WEBHOOK_RUN, date, market: null, chunk };
}
