import { rmSync } from 'node:fs';
import path from 'node:path';
import { beginBuild, finishBuild, newestBuild } from '../builds/builds.js';
import { syncFile, syncFolders } from '../../store/links.js';
import { showNewBuild } from '../builds/switch.js';
import { buildsDir, fileOf, publishedFile } from '../../store/data-folder.js';
import { DamagedFileError } from '../../store/disk-errors.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { shareWith, type Readers } from '../../store/file-modes.js';
import { syncPath } from '../../store/files.js';
import { buildPublished } from '../../base/observed.js';
import { asWarehouseError, ModelFailedError } from '../duckdb/errors.js';
import type { Warehouse } from '../duckdb/open.js';
import { readBuiltModels } from '../models/built-models.js';
import { forgetPublished, lastModelBuild } from '../models/changed-keys.js';
import { chooseBase, layoutOf, type Choice } from './base-build.js';
import type { ComparisonPolicy } from './comparison.js';
import type { LakePolicy } from './publish-lakes.js';
import { writeBuild, type Plan, type Written } from './write-build.js';

/** Input of `publish`. */
export interface PublishRequest extends LakePolicy, ComparisonPolicy {
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
  /** True: write all rows, although copying the newest build would be possible. */
  full?: boolean | undefined;
}

/** The build that `publish` made. */
export interface PublishedBuild {
  /** Path of the published file, relative to the data folder. */
  file: string;
  tables: number;
  rows: number;
  /** Messages about the build for a person, one sentence each. */
  notes: string[];
  /** `full`: all rows were written. `incremental`: the newest build was copied, and only rows that differ were written. */
  method: 'full' | 'incremental';
  /** Why this method was used, as a sentence. */
  reason: string;
  /** Number of rows that were added, replaced or removed; null if all rows were written. */
  changedRows: number | null;
}

/**
 * Makes a new immutable build of file and lake. If possible, copies the newest build and changes the rows that differ;
 * otherwise writes all rows. Opens the file to check it, and then switches `data/published` to the new build. Until the
 * switch, and after any failure, readers see the old build.
 * @throws TidemarkError `DiskFull`
 * @throws ModelFailedError when models were not built, or the rows in the new file differ from those in the warehouse
 */
export async function publish(warehouse: Warehouse, dataDir: string, request: PublishRequest): Promise<PublishedBuild> {
  const { db } = warehouse;
  const startedAt = performance.now();
  const models = await readBuiltModels(db);
  const layout = await layoutOf(db, models);
  const modelBuild = await lastModelBuild(db);
  const choice = request.full ? { full: 'this was asked for' } : await chooseBase(db, dataDir, models, layout);
  const build = await makeBuild(warehouse, dataDir, { models, layout, modelBuild, choice }, request);
  const { keep = 3, graceSeconds = 60 } = request;
  await showNewBuild(dataDir, build.name, { keep, graceSeconds });
  if (modelBuild !== undefined) await forgetPublished(db, modelBuild);
  buildPublished.report({ seconds: (performance.now() - startedAt) / 1_000 });
  const { contents, notes, made } = build;
  return {
    file: path.relative(dataDir, publishedFile(dataDir)),
    tables: contents.size + 1,
    rows: [...contents.values()].reduce((sum, { rows }) => sum + rows, 1),
    notes,
    method: made.method,
    reason: made.reason,
    changedRows: made.changedRows,
  };
}

interface BuildFolder {
  name: string;
  folder: string;
}

/**
 * Makes a complete build that is not current yet. An incremental build starts from a copy of the newest build. If this
 * copy is damaged or lacks changes, writes all rows instead.
 */
async function makeBuild(
  warehouse: Warehouse,
  dataDir: string,
  plan: Plan,
  request: PublishRequest,
): Promise<BuildFolder & Written> {
  try {
    return await tryBuild(warehouse, dataDir, plan, request);
  } catch (error) {
    if ('full' in plan.choice || !isFaultOfCopy(error)) throw error;
    const why = errorMessage(error instanceof DamagedFileError ? error.cause : error);
    const choice: Choice = { full: `a changed copy of ${plan.choice.base.build.name} failed: ${why}` };
    return tryBuild(warehouse, dataDir, { ...plan, choice }, request);
  }
}

/**
 * Whether an incremental build may have failed because of the copied build. Not so for a full disk or a lost lock.
 * DuckDB does not say whether the copy or the warehouse is damaged. If it is the warehouse, the full build fails, too.
 */
function isFaultOfCopy(error: unknown): boolean {
  return error instanceof ModelFailedError || error instanceof DamagedFileError || !(error instanceof TidemarkError);
}

/** Makes a complete build that is not current yet. Removes its folder if an error occurs. */
async function tryBuild(
  warehouse: Warehouse,
  dataDir: string,
  plan: Plan,
  request: PublishRequest,
): Promise<BuildFolder & Written> {
  const builds = buildsDir(dataDir);
  const build = beginBuild(dataDir, request);
  const file = fileOf(build.folder);
  try {
    const folders = { folder: build.folder, previous: newestBuild(dataDir) };
    const written = await writeBuild(warehouse.db, plan, folders, request);
    shareWith(request.readers ?? 'owner', dataDir, builds, [build.folder]);
    await syncFile(file);
    await syncFolders(build.folder);
    warehouse.assertHeld();
    finishBuild(dataDir, build);
    await syncPath(builds, dataDir);
    return { ...build, ...written };
  } catch (error) {
    rmSync(build.folder, { recursive: true, force: true });
    throw asWarehouseError(error, file);
  }
}
