import path from 'node:path';
import { tableSettings, type Config, type TableSettings } from '../config/config.js';
import { DamagedFileError } from '../store/disk-errors.js';
import type { Lock } from '../store/lock/lock.js';
import { LandingCorruptError, type LoadCounts } from '../warehouse/duckdb/errors.js';
import { removeDatabase } from '../store/database-files.js';
import { carryModels, publishedFiles } from './carry-models.js';
import { loadLanding } from '../warehouse/load/load.js';
import { whileNothingIsRemoved, whileWriting } from '../warehouse/duckdb/locks.js';
import { withMoreMemory } from '../warehouse/duckdb/more-memory.js';
import { openWarehouse, replaceFile, type Warehouse } from '../warehouse/duckdb/open.js';
import { WarehouseOutdatedError } from '../warehouse/duckdb/schema.js';
import { replayFile, warehouseFile } from '../store/data-folder.js';
import { publish, type PublishRequest, type PublishedBuild } from '../warehouse/publish/publish.js';
import { buildModels, type BuildResult } from '../warehouse/models/run-models.js';
import { Data } from '../store/data.js';

/** Input of `rebuildWarehouse`. */
export interface RebuildRequest extends TableSettings, Pick<PublishRequest, 'readers' | 'keep' | 'graceSeconds'> {
  now: Date;
  /** First landing date to load; default: the earliest. `to` is the last date to load; default: the latest. */
  from?: string | undefined;
  to?: string | undefined;
  /** Folder for the new warehouse, its rejects and the published files. Default: the data folder itself. */
  into?: string | undefined;
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
export async function rebuildWarehouse(data: Data, request: RebuildRequest): Promise<Rebuilt> {
  // Keep the lock until the replay has published. Otherwise, a run could load into the file that the replay is about to
  // replace. A run could also publish a newer state, and the replay would then replace it with an older one.
  return whileWriting(targetOf(data, request), 'tidemark replay', (lock) => rebuildUnder(lock, data, request));
}

/** Does the work of `rebuildWarehouse`. The caller holds the writer's lock. */
export async function rebuildUnder(lock: Lock, data: Data, request: RebuildRequest): Promise<Rebuilt> {
  const { onStep = () => undefined } = request;
  const target = targetOf(data, request);
  const made = await makeWarehouse(lock, data, request);
  onStep('publish');
  const warehouse = await openWarehouse(target, { lock });
  try {
    const published = await publish(warehouse, target.dataDir, { ...request, run: 'replay' });
    return { ...made, notes: [...made.notes, ...published.notes], published };
  } finally {
    await warehouse.close();
  }
}

/**
 * Makes the warehouse in a new file, from the landing zone alone, and puts it in the place of the warehouse in use.
 * Needs nothing of the old file, which may be damaged or lost. The caller holds the writer's lock.
 */
export async function makeWarehouse(lock: Lock, data: Data, request: RebuildRequest): Promise<Loaded & BuildResult> {
  const { now, onStep = () => undefined } = request;
  const target = targetOf(data, request);
  const [dataDir, into] = [data.dataDir, target.dataDir];
  const file = warehouseFile(into);
  const beside = replayFile(into);
  removeDatabase(beside);
  const rebuilt = await openWarehouse(target, { file: beside });
  let made: Loaded & BuildResult;
  try {
    onStep('load');
    const loaded = await whileNothingIsRemoved(dataDir, () => loadAll(rebuilt, data, request));
    onStep('models');
    const lost = await carryModels(rebuilt.db, [file, ...[into, dataDir].flatMap(publishedFiles)]);
    const { personalData, modelsDir, rates } = request;
    const built = await withMoreMemory(rebuilt.db, () =>
      buildModels(rebuilt, { now, personalData, modelsDir, rates, origin: 'replay' }),
    );
    const setAside = loaded.setAside === undefined ? [] : [loaded.setAside];
    made = { ...loaded, ...built, notes: [...lost, ...setAside, ...built.notes] };
  } finally {
    await rebuilt.close();
  }
  await replaceFile(beside, file, lock);
  return made;
}

/** Whether an error says that the warehouse of a data folder is damaged, or that other SQL made it. */
export function mustRemake(error: unknown, { dataDir }: Config): error is DamagedFileError | WarehouseOutdatedError {
  const isItsError = error instanceof DamagedFileError || error instanceof WarehouseOutdatedError;
  return isItsError && error.file === path.resolve(warehouseFile(dataDir));
}

/**
 * Makes the warehouse of a data folder again, because its file is damaged or other SQL made it. Publishes nothing.
 * @returns sentences about what is missing in the new file
 * @throws WarehouseBusyError when another process writes the warehouse
 */
export async function remakeWarehouse(
  { config, data }: { config: Config; data: Data },
  { now, onStep }: Required<Pick<RebuildRequest, 'now' | 'onStep'>>,
): Promise<string[]> {
  const request = { now, ...tableSettings(config, data), onStep };
  const { faults, notes } = await whileWriting(data, 'a worker', (lock) => makeWarehouse(lock, data, request));
  return [...faults, ...notes];
}

/** Where the new warehouse is. */
function targetOf(data: Data, { into }: Pick<RebuildRequest, 'into'>): Data {
  return into === undefined ? data : new Data(into);
}

type Loaded = LoadCounts & { faults: string[] };

async function loadAll(warehouse: Warehouse, data: Data, request: RebuildRequest): Promise<Loaded> {
  try {
    const counts = await loadLanding(warehouse, data, {
      isWanted: isInRange(request),
      rejectsIn: targetOf(data, request),
    });
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
