import { utimesSync } from 'node:fs';
import path from 'node:path';
import { sha256 } from '../../base/hash.js';
import { buildDir, fileOf } from '../../store/data-folder.js';
import type { Storage } from '../../store/storage.js';
import type { Pointer, Version, Versions } from '../../store/versions.js';
import { addTakenBuild, currentBuild } from './builds.js';
import { buildsIn, mustReadCurrent } from './manifest.js';
import { showNewBuild } from './switch.js';

// Queries on this machine may still read a build that was replaced a moment ago.
const KEPT = { keep: 2, graceSeconds: 600 };

/**
 * Downloads the DuckDB file of a version into a data folder, unless it has the build. Checks its hash.
 * @param onDownload called with the size in bytes before the download
 */
export async function takeVersion(
  dataDir: string,
  there: Versions,
  version: Version & Partial<Pick<Pointer, 'published_at'>>,
  onDownload: (bytes: number) => void = () => undefined,
): Promise<void> {
  const { build, publication, published_at: at } = version;
  const write = async (file: string): Promise<void> => {
    const { database } = await there.manifestOf(version);
    onDownload(database.bytes);
    await there.storage.download(database.key, file, database);
    // `tidemark status` shows the time of the file.
    if (at !== undefined) utimesSync(file, new Date(at), new Date(at));
  };
  await addTakenBuild(dataDir, build, write, publication);
}

/** As `takeVersion`, and makes the build current in the data folder. Removes old builds. */
export async function takeCurrent(
  dataDir: string,
  there: Versions,
  current: Pointer,
  onDownload?: (bytes: number) => void,
): Promise<void> {
  await takeVersion(dataDir, there, current, onDownload);
  if (currentBuild(dataDir) !== current.build) await showNewBuild(dataDir, current.build, KEPT);
}

/** A build in the cache of this machine. */
export interface Fetched {
  /** Folder that `openPublished` accepts as a data folder. It has only published files. */
  dataDir: string;
  build: string;
  /** The DuckDB file of this build. A later download does not change it. */
  file: string;
}

/**
 * Downloads the current build of a storage into the cache of this machine, unless the cache has it.
 * @param cache folder for downloads of all storages
 * @param onDownload called with the size in bytes before a download
 * @throws StorageError `missing` when no build was copied there
 */
export async function fetchCurrent(
  storage: Storage,
  cache: string,
  onDownload?: (bytes: number) => void,
): Promise<Fetched> {
  const there = buildsIn(storage);
  const current = await mustReadCurrent(there);
  const dataDir = path.join(cache, sha256(storage.name).slice(0, 16));
  await takeCurrent(dataDir, there, current, onDownload);
  const { build } = current;
  return { dataDir, build, file: fileOf(buildDir(dataDir, build)) };
}
