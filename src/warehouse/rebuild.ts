import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Readers } from '../core/file-modes.js';
import { syncPath } from '../core/files.js';
import type { Lock } from '../core/lock.js';
import { LandingCorruptError, WarehouseBusyError, type LoadCounts } from './errors.js';
import { carryModels } from './carry-models.js';
import { syncFile } from './links.js';
import { loadLanding } from './load.js';
import { lockWriter, whileNothingIsRemoved } from './locks.js';
import { openWarehouse, type Warehouse } from './open.js';
import { warehouseFile } from './paths.js';
import { publish, type PublishedBuild } from './publish.js';
import { buildModels, type BuildResult } from './run-models.js';

export interface RebuildRequest {
  now: Date;
  /** First and last landing date that is read; left out: all of them. */
  from?: string | undefined;
  to?: string | undefined;
  /** Folder that gets the warehouse, its rejects and the published files; default: the data folder itself. */
  into?: string | undefined;
  /** As for `publish`. */
  readers?: Readers | undefined;
  keep?: number | undefined;
  /** As for `buildModels`. */
  personalData: boolean;
  /** As for `buildModels`. */
  modelsDir?: string | undefined;
  /** Told of each step as it begins. */
  onStep?: (step: 'load' | 'models' | 'publish') => void;
}

export interface Rebuilt extends LoadCounts, BuildResult {
  published: PublishedBuild;
  /** Landed parts that could not be read, in words; everything else is there. */
  faults: string[];
}

/**
 * Makes the warehouse anew from the landing zone alone, beside the one in use, and puts it in its place when it is
 * whole; then publishes. Killed in between, the old one stays in use, and what was begun is thrown away by the next call.
 * @throws WarehouseBusyError when a worker is writing the warehouse
 * @throws LockLostError when this process stood still and another took the warehouse over; nothing was replaced
 * @throws ModelFailedError when the models cannot be built on it, or break what a version promised to readers of the
 *   warehouse before; nothing was replaced
 */
export async function rebuildWarehouse(dataDir: string, request: RebuildRequest): Promise<Rebuilt> {
  // Held to the end: no run loads into a file that is about to be replaced, nor publishes what this would set back.
  const lock = await lockWriter(request.into ?? dataDir, 'tidemark replay');
  try {
    return await rebuildUnder(lock, dataDir, request);
  } finally {
    lock.release();
  }
}

async function rebuildUnder(lock: Lock, dataDir: string, request: RebuildRequest): Promise<Rebuilt> {
  const { now, into = dataDir, onStep = () => undefined } = request;
  const file = warehouseFile(into);
  const beside = `${file}.rebuild`;
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
      // A second warehouse is made with the models of the first.
      await carryModels(rebuilt.db, current?.db ?? null, [into, dataDir]);
      const { personalData, modelsDir } = request;
      built = await buildModels(rebuilt, { now, personalData, modelsDir, origin: 'replay' });
    } finally {
      await rebuilt.close();
    }
  } finally {
    await current?.close();
  }
  lock.assertHeld();
  // A `.wal` of the old file would be played into the new one.
  for (const name of leftoversOf(file)) rmSync(name, { recursive: true, force: true });
  await syncFile(beside);
  lock.rename(beside, file);
  await syncPath(path.dirname(file), into);
  onStep('publish');
  const warehouse = await openWarehouse(into, { lock });
  try {
    const { readers, keep } = request;
    const published = await publish(warehouse, into, { run: 'replay', now, readers, keep });
    return { ...loaded, ...built, notes: [...built.notes, ...published.notes], published };
  } finally {
    await warehouse.close();
  }
}

type Loaded = LoadCounts & { faults: string[] };

async function loadAll(warehouse: Warehouse, dataDir: string, { from, to, into }: RebuildRequest): Promise<Loaded> {
  const inRange = (date: string): boolean => (from === undefined || date >= from) && (to === undefined || date <= to);
  try {
    return { ...(await loadLanding(warehouse, dataDir, { inRange, rejectsIn: into })), faults: [] };
  } catch (error) {
    if (!(error instanceof LandingCorruptError)) throw error;
    return { ...error.loaded, faults: error.faults };
  }
}

/** The warehouse in use; null when there is none, or none that can be opened: then it is what has to be replaced. */
async function openIfSound(dataDir: string, lock: Lock): Promise<Warehouse | null> {
  if (!existsSync(warehouseFile(dataDir))) return null;
  try {
    return await openWarehouse(dataDir, { lock });
  } catch (error) {
    if (error instanceof WarehouseBusyError) throw error;
    return null;
  }
}

/** What DuckDB keeps beside a database. */
function leftoversOf(file: string): string[] {
  return [`${file}.wal`, `${file}.tmp`];
}
