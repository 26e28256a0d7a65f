import { storageError } from '../../store/errors.js';
import type { Storage } from '../../store/storage.js';
import { Versions, type Pointer } from '../../store/versions.js';

/*
 * Published builds in a storage that other machines read:
 *
 *     current.json                 the version that readers use, and earlier versions that are still there
 *     v=<build>.<token>/           one version; its files never change
 *       manifest.json              lists the files of all tables, with sizes, hashes, rows and columns
 *       market.duckdb              the whole build as one file
 *       <schema>/<table>/*.parquet the files of a table that the version before lacks
 *     lease.json                   lease of the process that copies a build
 *
 * A manifest may name files of earlier versions. So readers take the list of files from the manifest, never from a folder.
 */

/** Key of the file that names the current version. */
export const CURRENT = 'current.json';
/** Key of the lease of the process that copies a build. */
export const LEASE = 'lease.json';
/** Beginning of the keys of all versions. */
export const VERSIONS = 'v=';

/** Opens the published builds of a storage. Sends no request. */
export function buildsIn(storage: Storage): Versions {
  return new Versions(storage, { pointer: CURRENT, lease: LEASE, folder: VERSIONS });
}

/**
 * Reads `current.json`.
 * @throws StorageError `missing` before the first copy
 */
export async function mustReadCurrent(builds: Versions): Promise<Pointer> {
  const current = await builds.read();
  if (current === undefined)
    throw storageError('missing', builds.storage, CURRENT, 'does not exist, so no build was copied there');
  return current;
}
