import { currentBuild, listBuilds, numberOf, raiseNumber } from './builds.js';
import { buildDir, fileOf, lakeOf, publishedFile } from '../../store/data-folder.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { NotPublishedError } from '../duckdb/errors.js';
import type { Lease, WaitOptions } from '../../store/lease.js';
import {
  publishVersion,
  pruneVersions,
  takeLeaseOf,
  type PublishedVersion,
  type VersionRequest,
} from '../../store/publish-version.js';
import type { Storage } from '../../store/storage.js';
import type { Pointer, Versions } from '../../store/versions.js';
import { readLakeIndex } from './lake-index.js';
import { buildsIn } from './manifest.js';
import { DAY_SECONDS, MINUTE_MS } from '../../base/time/time.js';

/** How long replaced versions stay. Longer than any query. */
export const KEEP_SECONDS = 7 * DAY_SECONDS;

/**
 * Options of `copyCurrentBuild`. `what`, `onWait`: about the lease of the process that copies a build. Choose `keepSeconds`
 * longer than the longest query.
 */
export type CopyOptions = Pick<VersionRequest, 'keepSeconds' | 'check' | 'stillAllowed'> &
  Pick<WaitOptions, 'what' | 'onWait'>;

/** What `copyCurrentBuild` did. */
export interface Copied extends Omit<PublishedVersion, 'current'> {
  /** Name of the storage, such as `s3://bucket/prefix`. */
  to: string;
  build: string;
  /** Number of files of old versions that were removed. */
  removed: number;
  /** Why old versions could not be removed; null without a fault. The next copy tries again. */
  pruneFault: string | null;
}

const WAIT_MS = 10 * MINUTE_MS;

/**
 * Makes the current build of the data folder current in a storage, too. See `publishVersion` for what is sent, and for
 * what readers see meanwhile. Then removes old versions.
 * @throws NotPublishedError when nothing is published
 * @throws StorageError, LeaseLostError, TidemarkError; the data folder is unchanged
 */
export async function copyCurrentBuild(storage: Storage, dataDir: string, options: CopyOptions): Promise<Copied> {
  const { what, onWait } = options;
  const builds = buildsIn(storage);
  const lease = await takeLeaseOf(builds, { what, onWait, waitMs: WAIT_MS });
  try {
    const build = currentBuild(dataDir);
    if (build === null) throw new NotPublishedError(publishedFile(dataDir));
    return await copyBuild(builds, dataDir, build, { lease, ...options });
  } finally {
    await lease.release();
  }
}

async function copyBuild(
  builds: Versions,
  dataDir: string,
  build: string,
  { lease, keepSeconds, check, stillAllowed }: CopyOptions & { lease: Lease },
): Promise<Copied> {
  const { current, ...done } = await publishVersion(builds, lease, {
    build,
    publication: (before) => numberIn(before, dataDir, build),
    local: () => {
      const folder = buildDir(dataDir, build);
      const lake = lakeOf(folder);
      const index = readLakeIndex(lake);
      if (index === undefined) throw lostFiles(builds.storage, build);
      return { database: fileOf(folder), lake, tables: index.tables };
    },
    keepSeconds,
    check,
    stillAllowed,
  });
  raiseNumber(dataDir, build, current.publication);
  const pruned = await pruneVersions(builds, current, lease).then(
    (removed) => ({ removed, pruneFault: null }),
    (error: unknown) => ({ removed: 0, pruneFault: errorMessage(error) }),
  );
  return { to: builds.storage.name, build, ...done, ...pruned };
}

/**
 * The number of a build in the storage. The build that was published last gets the highest number there. Another
 * build has been there before, or was published before the others.
 */
function numberIn(before: Pointer | undefined, dataDir: string, build: string): number {
  const here = numberOf(dataDir, build);
  if (before === undefined) return here;
  const known = [before, ...before.earlier];
  const same = known.find((version) => version.build === build);
  if (same !== undefined) return same.publication;
  const isLast = listBuilds(dataDir)[0]?.name === build;
  return isLast ? Math.max(here, 1 + Math.max(...known.map(({ publication }) => publication))) : here;
}

/** Another machine made the build, and this machine took only its DuckDB file. */
function lostFiles({ name }: Storage, build: string): TidemarkError {
  return new TidemarkError(
    'StorageUnavailable',
    `${name}: files of ${build} are missing or damaged, and this machine does not have its Parquet files.`,
    { todo: 'Run `tidemark publish --check`, which publishes a new build from the warehouse.' },
  );
}
