import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { WEBHOOK_RUN } from '../../schemas/pipeline/landing.js';
import type { Data } from '../store/data.js';
import { receiversDir, runFolder, streamDir } from '../store/data-folder.js';
import { spoolsDir, type PartTarget } from './index.js';

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
  return names(receiversDir(dataDir), /^(r[0-9a-f]{16})$/);
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

/** Lists the spooled chunks by receiver. */
export function listSpools(data: Data): Map<string, PartTarget[]> {
  const found = new Map<string, PartTarget[]>();
  for (const date of names(streamDir(data.dataDir, STREAM), /^date=(.+)$/)) {
    const folder = runFolder({ data, stream: STREAM, run: WEBHOOK_RUN, date });
    for (const chunk of names(spoolsDir(folder), /^part-(r[0-9a-f]{16}-.+)\.spool$/)) {
      const [receiver = ''] = chunk.split('-');
      found.set(receiver, [...(found.get(receiver) ?? []), targetOf(data, date, chunk)]);
    }
  }
  return found;
}

/** Names a chunk of deliveries. */
export function targetOf(data: Data, date: string, chunk: string): PartTarget {
  return { data, stream: STREAM, run: WEBHOOK_RUN, date, market: null, chunk };
}

function names(folder: string, pattern: RegExp): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => pattern.exec(name)?.[1] ?? []);
}
