import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Readers } from '../core/file-modes.js';
import type { RatesSource } from '../core/rates-source.js';
import { syncPath } from '../core/files.js';
import type { Lock } from '../core/lock.js';
import { LandingCorruptError, WarehouseBusyError, type LoadCounts } from '../duckdb/errors.js';
import { carryModels } from './carry-models.js';
import { syncFile } from '../builds/links.js';
import { loadLanding } from '../load/load.js';
import { lockWriter, whileNothingIsRemoved } from '../duckdb/locks.js';
import { withMoreMemory } from '../duckdb/more-memory.js';
import { openWarehouse, type Warehouse } from '../duckdb/open.js';
import { replayFile, warehouseFile } from '../core/data-folder.js';
import { publish, type PublishedBuild } from '../publish/publish.js';
import { buildModels, type BuildResult } from '../models/run-models.js';

/** Input of `rebuildWarehouse`. */
export interface RebuildRequest {
  now: Date;
  /** First landing date to load; default: the earliest. `to` is the last date to load; default: the latest. */
  from?: string | undefined;
  to?: string | undefined;
  /** Folder for the new warehouse, its rejects and the published files. Default: the data folder itself. */
  into?: string | undefined;
  /** As `readers` and `keep` of `publish`. */
  readers?: Readers | undefined;
  keep?: number | undefined;
  /** As `personalData` of `buildModels`. */
  personalData: boolean;
  /** As `modelsDir` and `rates` of `buildModels`. */
  modelsDir?: string | undefined;
  rates?: RatesSource | null | undefined;
  /** Called when a step begins. */
  onStep?: (step: 'load' | 'models' | 'publish') => void;
}

/** Result of `rebuildWarehouse`: load, build and publication. */
export interface Rebuilt extends LoadCounts, BuildResult {
  published: PublishedBuild;
  /** Landed parts that could not be read, with one phrase each. All other parts were loaded. */
  faults: string[];
}

/**
 * Makes the warehouse again in a new file, from the landing zone alone. When the new file is complete, replaces the
 * warehouse in use with it, and publishes. If the process is killed before the replacement, the old warehouse stays in
 * use, and the next call deletes the incomplete file.
 * @throws WarehouseBusyError when a worker writes the warehouse
 * @throws LockLostError when this process was suspended and another process took the lock; nothing was replaced
 * @throws ModelFailedError when the models cannot be built, or break a promise to readers of the old warehouse; nothing
 * was replaced
 */
export async function rebuildWarehouse(dataDir: string, request: RebuildRequest): Promise<Rebuilt> {
  // Keep the lock until the replay has published. Otherwise, a run could load into the file that the replay is about to
  // replace. A run could also publish a newer state, and the replay would then replace it with an older one.
  const lock = await lockWriter(request.into ?? dataDir, 'tidemark replay');
  try {
    return await rebuildUnder(lock, dataDir, request);
  } finally {
    lock.release();
  }
}

/** Does the work of `rebuildWarehouse`. The caller holds the writer's lock. */
export async function rebuildUnder(lock: Lock, dataDir: string, request: RebuildRequest): Promise<Rebuilt> {
  const { now, into = dataDir, onStep = () => undefined } = request;
  const file = warehouseFile(into);
  const beside = replayFile(into);
  const current = await openIfSound(into, lock);
  let loaded: Loaded;
  let built: BuildResult;
  try {
    for (const name of [beside, ...leftoversOf(beside)]) rmSync(name, { recursive: true, force: true });
    const rebuilt = await openWarehouse(into, { file: beside });
    try {
      onStep('load');
      loaded = await whileNothingIsRemoved(dataDir, () => loadAll(rebuilt, dataDir, request));
      onStep('models');
      // Copy the records about the applied models from the old warehouse. If the folder `into` has no old warehouse, a
      // published file has these records.
      await carryModels(rebuilt.db, current?.db ?? null, [into, dataDir]);
      const { personalData, modelsDir, rates } = request;
      built = await withMoreMemory(rebuilt.db, () =>
        buildModels(rebuilt, { now, personalData, modelsDir, rates, origin: 'replay' }),
      );
    } finally {
      await rebuilt.close();
    }
  } finally {
    await current?.close();
  }
  lock.assertHeld();
  // Delete a `.wal` file of the old warehouse, because DuckDB would apply it to the new one.
  for (const name of leftoversOf(file)) rmSync(name, { recursive: true, force: true });
  await syncFile(beside);
  lock.rename(beside, file);
  await syncPath(path.dirname(file), into);
  onStep('publish');
  const warehouse = await openWarehouse(into, { lock });
  try {
    const { readers, keep } = request;
    const published = await withMoreMemory(warehouse.db, () =>
      publish(warehouse, into, { run: 'replay', now, readers, keep }),
    );
    return { ...loaded, ...built, notes: [...built.notes, ...published.notes], published };
  } finally {
    await warehouse.close();
  }
}

type Loaded = LoadCounts & { faults: string[] };

async function loadAll(warehouse: Warehouse, dataDir: string, { from, to, into }: RebuildRequest): Promise<Loaded> {
  try {
    const counts = await loadLanding(warehouse, dataDir, { isWanted: isInRange({ from, to }), rejectsIn: into });
    return { ...counts, faults: [] };
  } catch (error) {
    if (!(error instanceof LandingCorruptError)) throw error;
    return { ...error.loaded, faults: error.faults };
  }
}

/** Returns whether the landing date of a part is in a range. A date left out means no limit. */
function isInRange({ from, to }: Pick<RebuildRequest, 'from' | 'to'>): (part: { date: string }) => boolean {
  return ({ date }) => (from === undefined || date >= from) && (to === undefined || date <= to);
}

/**
 * Opens the warehouse in use. Returns null when there is none, or when it cannot be opened. The replay then replaces
 * it.
 */
async function openIfSound(dataDir: string, lock: Lock): Promise<Warehouse | null> {
  if (!existsSync(warehouseFile(dataDir))) return null;
  try {
    return await openWarehouse(dataDir, { lock });
  } catch (error) {
    if (error instanceof WarehouseBusyError) throw error;
    return null;
  }
}

/** Returns the files that DuckDB keeps next to a database. */
function leftoversOf(file: string): string[] {
  return [`${file}.wal`, `${file}.tmp`];
}
