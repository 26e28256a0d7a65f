import type { DataFolder } from '../../schemas/pipeline/run.js';
import { shortId } from '../store/folder-identity.js';
import type { WorkerSeen } from './crawl-workers.js';

/** Selects the workers that have another data folder. Pure function. */
export function foreignWorkers(workers: readonly WorkerSeen[], folder: Pick<DataFolder, 'id'>): WorkerSeen[] {
  const own = shortId(folder.id);
  return workers.filter((worker) => worker.folder !== undefined && worker.folder !== own);
}
