import { addTakenBuild, currentBuild, listBuilds } from '../builds/builds.js';
import { showNewBuild } from '../builds/switch.js';
import type { Config } from '../core/config.js';
import { workingCopyOf } from '../working-copy/open.js';
import { openRemote } from './copy-published.js';
import { readCurrent, readManifest } from './manifest.js';

// Queries on this machine may still read a build that was replaced a moment ago.
const KEPT = { keep: 2, graceSeconds: 600 };

/**
 * Takes the current build of the bucket, so that this machine reads what the warehouse worker published. Does nothing if
 * the data is in a folder, or if this machine has the build or a newer one.
 * @returns whether the machine reads another build now
 */
export async function takePublished(config: Pick<Config, 'publish' | 'dataDir' | 'file'>): Promise<boolean> {
  const { dataDir } = config;
  if (workingCopyOf(dataDir) === undefined) return false;
  const storage = openRemote(config);
  const found = storage && (await readCurrent(storage));
  if (storage === undefined || found === undefined) return false;
  const { build } = found.current;
  // Names of builds sort by time.
  if ((currentBuild(dataDir) ?? '') >= build) return false;
  if (!listBuilds(dataDir).some(({ name }) => name === build)) {
    const { database } = await readManifest(storage, found.current);
    await addTakenBuild(dataDir, build, (file) => storage.download(database.key, file, database));
  }
  await showNewBuild(dataDir, build, KEPT);
  return true;
}
