import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { DataFolder } from '../../schemas/pipeline/run.js';
import { describeFolder, shortId } from '../core/folder-identity.js';
import { seenWorkers, type WorkerSeen } from './crawl-workers.js';

const LOOK_EVERY_MS = 60_000;

/** Selects the workers that have another data folder. Pure function. */
export function foreignWorkers(workers: readonly WorkerSeen[], folder: Pick<DataFolder, 'id'>): WorkerSeen[] {
  const own = shortId(folder.id);
  return workers.filter((worker) => worker.folder !== undefined && worker.folder !== own);
}

/** Remedy for workers with different data folders in one namespace. */
export const SEPARATE_FOLDERS =
  'A run belongs to the data folder of the worker that opens it; workers of other folders refuse its work. Give each data folder its own namespace (TEMPORAL_NAMESPACE), or end those workers.';

/** Returns the names of workers with other data folders: `123@host (folder ab12cd34)`. Pure function. */
export function nameForeign(workers: readonly WorkerSeen[]): string {
  return workers.map(({ name, folder }) => `${name} (folder ${folder})`).join(', ');
}

/** Logs when workers with another data folder poll the same queues. Checks once before it resolves, then every 60 s. */
export async function watchForeignWorkers(
  client: Client,
  { folder, log, stop }: { folder: DataFolder; log: Logger; stop: AbortSignal },
): Promise<void> {
  let told = '';
  const look = async (): Promise<void> => {
    const workers = await seenWorkers(client).catch(() => null);
    if (workers === null) return;
    const named = nameForeign(foreignWorkers(workers, folder));
    if (named === told) return;
    told = named;
    if (named === '') return log.info('no worker of another data folder polls these queues any more');
    log.warn(`Workers of another data folder poll the same queues: ${named}. ${SEPARATE_FOLDERS}`);
    log.warn(`This worker uses the data folder ${describeFolder(folder)}.`);
  };
  await look();
  void (async () => {
    for (;;) {
      await delay(LOOK_EVERY_MS, undefined, { signal: stop, ref: false });
      await look();
    }
  })().catch(() => undefined);
}
