import { currentBuild, describeBuild, isTaken, listBuilds, numberOf, type Build } from './builds.js';
import { PREVIOUS } from './switch.js';
import { takeCurrent, takeVersion } from './take-build.js';
import { isFileFault } from '../../store/errors.js';
import type { Pointer, Version, Versions } from '../../store/versions.js';
import { openRemote, type CopyConfig } from './copy-published.js';
import { buildsIn } from './manifest.js';

/**
 * Takes the current build of the bucket, so that this machine reads what the warehouse worker published. Does nothing if
 * the data is in a folder, or if this machine has the build, or has published a later one. If files of the build are lost,
 * keeps what this machine has: an older build, or none.
 * @param onLost called with a sentence about the lost file
 */
export async function takeUnlessLost(
  config: CopyConfig,
  onLost: (fault: string) => void = () => undefined,
): Promise<void> {
  try {
    const found = await findPublished(config);
    if (found === undefined || isAhead(config.dataDir, found.current)) return;
    await takeCurrent(config.dataDir, found.there, found.current);
  } catch (error) {
    if (!isFileFault(error)) throw error;
    onLost(error.message);
  }
}

/** Lists the builds that readers can go back to, newest first: those of the bucket, or those of the data folder. */
export async function listKeptBuilds(config: CopyConfig): Promise<Build[]> {
  const found = await findPublished(config);
  if (found === undefined) return listBuilds(config.dataDir);
  const { there, current } = found;
  const builds: Build[] = [];
  for (const version of versionsOf(current)) {
    const manifest = await there.findManifest(version);
    if (manifest === undefined) continue;
    const { bytes } = manifest.database;
    const build = describeBuild(version.build, { bytes, current: version.build === current.build });
    if (build !== undefined) builds.push(build);
  }
  return builds;
}

/**
 * Takes an earlier build of the bucket, so that this machine can go back to it. Does nothing if the data is in a folder,
 * or if the bucket has no such build.
 * @param wanted name of a build, or `PREVIOUS`
 */
export async function takeKept(config: CopyConfig, wanted: string): Promise<void> {
  const found = await findPublished(config);
  if (found === undefined) return;
  const versions = versionsOf(found.current);
  const at = versions.findIndex(({ build }) => build === (wanted === PREVIOUS ? found.current.build : wanted));
  const version = versions[wanted === PREVIOUS ? at + 1 : at];
  if (version !== undefined) await takeVersion(config.dataDir, found.there, version);
}

interface PublishedThere {
  there: Versions;
  current: Pointer;
}

async function findPublished(config: CopyConfig): Promise<PublishedThere | undefined> {
  if (config.bucket === undefined) return undefined;
  const storage = openRemote(config);
  const there = storage && buildsIn(storage);
  const current = await there?.read();
  return there === undefined || current === undefined ? undefined : { there, current };
}

/**
 * The newest version of each build of the bucket, the build that was published last first. A build has several versions
 * if files of it were lost and sent again.
 */
function versionsOf(current: Pointer): Version[] {
  const newest = new Map<string, Version>();
  for (const version of [current, ...current.earlier])
    if (!newest.has(version.build)) newest.set(version.build, version);
  return [...newest.values()].toSorted((a, b) => b.publication - a.publication);
}

/** Whether this machine shows the current build, or has published a later one that the bucket does not have yet. */
function isAhead(dataDir: string, { build, publication, earlier }: Pointer): boolean {
  const here = currentBuild(dataDir);
  if (here === null || here === build) return here === build;
  if (isTaken(dataDir, here) || earlier.some((one) => one.build === here)) return false;
  return numberOf(dataDir, here) > publication;
}
