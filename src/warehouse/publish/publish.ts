import { rmSync } from 'node:fs';
import path from 'node:path';
import { beginBuild, finishBuild, newestBuild } from '../builds/builds.js';
import { showNewBuild } from '../builds/switch.js';
import { buildsDir, fileOf, publishedFile } from '../../store/data-folder.js';
import { shareWith, type Readers } from '../../store/file-modes.js';
import { syncFile, syncFolders, syncPath } from '../../store/files.js';
import { buildPublished } from '../../base/observed.js';
import { asWarehouseError } from '../duckdb/errors.js';
import type { Warehouse } from '../duckdb/open.js';
import { readBuiltModels } from '../models/built-models.js';
import { findFreeBlocks, removeRemakable, rewriteCopy, rewriteWarehouse } from './free-blocks.js';
import { writeBuild, type Written } from './write-build.js';

/** Input of `publish`. */
export interface PublishRequest {
  /** Run for which the build is made. The name of the build contains it. */
  run: string;
  now: Date;
  /** Who on this machine may read the build. Default: only its owner. */
  readers?: Readers | undefined;
  /**
   * Number of builds to keep, including this one (default 3). Readers that have opened a removed build can still read
   * it.
   */
  keep?: number | undefined;
  /** Minimum time for which a replaced build is kept, in seconds (default 60). */
  graceSeconds?: number;
}

/** The build that `publish` made. */
export interface PublishedBuild {
  /** Path of the published file, relative to the data folder. */
  file: string;
  /** Number of published tables and views, and of their rows. */
  tables: number;
  rows: number;
  /** Messages about the build for a person, one sentence each. */
  notes: string[];
  /** Whether the warehouse file was written again, without removed rows in free blocks. */
  isRewritten: boolean;
}

/**
 * Publishes the warehouse: closes its file, copies it, removes the bookkeeping from the copy, writes the lake, and
 * switches `data/published` to this new immutable build. Until the switch, and after any failure or kill, readers see
 * the old build.
 *
 * Takes over the open warehouse: afterwards, its file is closed. The lock of the warehouse stays held until the caller
 * calls `close`, so no other process writes the file meanwhile.
 * @throws TidemarkError `DiskFull`
 * @throws ModelFailedError when models were not built, or readers could not read a view
 * @throws DamagedFileError when a block of the warehouse file is damaged
 */
export async function publish(warehouse: Warehouse, dataDir: string, request: PublishRequest): Promise<PublishedBuild> {
  const startedAt = performance.now();
  const models = await readBuiltModels(warehouse.db);
  const freeBlocks = await findFreeBlocks(warehouse.db);
  await warehouse.closeFile();
  if (freeBlocks.warehouse) await rewriteWarehouse(warehouse, dataDir, false);
  const builds = buildsDir(dataDir);
  const previous = newestBuild(dataDir);
  const build = beginBuild(dataDir, request);
  const file = fileOf(build.folder);
  const { isReduced } = freeBlocks;
  let written: Written;
  try {
    written = await writeBuild(warehouse.db.file, models, { ...request, ...build, previous });
    if (freeBlocks.copy) await rewriteCopy(file);
    shareWith(request.readers ?? 'owner', dataDir, builds, [build.folder]);
    await syncFile(file);
    await syncFolders(build.folder);
    warehouse.assertHeld();
    finishBuild(dataDir, build);
    await syncPath(builds, dataDir);
    const { keep = 3, graceSeconds = 60 } = request;
    await showNewBuild(dataDir, build.name, isReduced ? { keep: 1, graceSeconds: 0 } : { keep, graceSeconds });
  } catch (error) {
    rmSync(build.folder, { recursive: true, force: true });
    throw asWarehouseError(error, file);
  }
  const { tables, notes } = written;
  if (isReduced) {
    removeRemakable(dataDir);
    await rewriteWarehouse(warehouse, dataDir, true);
    notes.push(REDUCED);
  }
  buildPublished.report({ seconds: (performance.now() - startedAt) / 1_000 });
  const counts = Object.values(tables);
  return {
    file: path.relative(dataDir, publishedFile(dataDir)),
    tables: counts.length,
    rows: counts.reduce((sum, rows) => sum + rows, 0),
    notes,
    isRewritten: freeBlocks.warehouse || isReduced,
  };
}

const REDUCED =
  'personalData became `none`: older builds and dev environments were removed. Run `tidemark publish --copy --prune`, if builds are copied, and `tidemark forget --all`.';
