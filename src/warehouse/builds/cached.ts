import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { publishedFile } from '../../store/data-folder.js';
import { makeFolder } from '../../store/files.js';
import type { Storage } from '../../store/storage.js';
import { buildsIn, mustReadCurrent } from './manifest.js';

/** Versions of one storage that the cache keeps: a command that has just begun may still open the earlier one. */
const KEPT = 2;

/** A version of a storage, in the cache of this machine. */
export interface Cached {
  /** Folder that `openPublished` accepts as a data folder. It holds only the published file. */
  dataDir: string;
  build: string;
  /** Bytes that were downloaded; 0 if the cache had the version. */
  downloaded: number;
}

/**
 * Downloads the DuckDB file of the current version, unless the cache has it. Checks its hash. Removes earlier copies
 * from the cache.
 * @param cache folder for downloads of all storages
 * @param onDownload called with the size in bytes before a download
 * @throws StorageError `missing` when no build was copied there
 */
export async function fetchCurrent(
  storage: Storage,
  cache: string,
  onDownload: (bytes: number) => void = () => undefined,
): Promise<Cached> {
  const builds = buildsIn(storage);
  const current = await mustReadCurrent(builds);
  const { build, version } = current;
  const folder = path.join(cache, createHash('sha256').update(storage.name).digest('hex').slice(0, 16));
  const dataDir = path.join(folder, version);
  const file = publishedFile(dataDir);
  let downloaded = 0;
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    const { database } = await builds.manifestOf(current);
    onDownload(database.bytes);
    await makeFolder(folder);
    await storage.download(database.key, file, database);
    downloaded = database.bytes;
  }
  removeOlder(folder, version);
  return { dataDir, build, downloaded };
}

/** Keeps the newest versions by the time of their download, and always `current`. An open file can still be read. */
function removeOlder(folder: string, current: string): void {
  const others = readdirSync(folder)
    .filter((name) => name !== current)
    .map((name) => ({ name, at: statSync(path.join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .toSorted((a, b) => b.at - a.at);
  for (const { name } of others.slice(KEPT - 1)) rmSync(path.join(folder, name), { recursive: true, force: true });
}
