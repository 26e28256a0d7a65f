import { existsSync } from 'node:fs';
import { formatCount } from '../../../schemas/format.js';
import type { Config } from '../../config/config.js';
import { landingDir, warehouseFile } from '../../store/data-folder.js';

/** What `tidemark replay` does for a lost warehouse, and that the next run does the same. */
export const REPLAY = '`tidemark replay` builds it from these parts, without requests. The next run does so, too.';

/**
 * Describes a warehouse that is missing although parts have landed: it was lost, or no run has loaded them yet. Null if
 * the warehouse exists, if nothing has landed, or if the data is in a bucket.
 */
export async function missingWarehouse({
  dataDir,
  bucket,
}: Pick<Config, 'dataDir' | 'bucket'>): Promise<string | null> {
  if (bucket !== undefined || existsSync(warehouseFile(dataDir)) || !existsSync(landingDir(dataDir))) return null;
  // Most commands find a warehouse, so they need not load the code of the landing zone.
  const { readManifests } = await import('../../landing/index.js');
  const parts = readManifests(dataDir, {}, () => undefined).length;
  if (parts === 0) return null;
  return `there is no warehouse beside ${formatCount(parts)} landed part${parts === 1 ? '' : 's'}`;
}
