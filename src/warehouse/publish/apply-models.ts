import { existsSync, realpathSync } from 'node:fs';
import type { TableSettings } from '../../config/config.js';
import { TidemarkError } from '../../base/errors.js';
import type { Database } from '../duckdb/database.js';
import { loadRates } from '../rates/load-rates.js';
import { readModelSet, type ModelSet } from '../models/models.js';
import { refuseBreaking, type ModelChange } from '../models/plan.js';
import { planFrom } from '../models/read-plan.js';
import { heldSet, previousSet, readSet, readSets, type AppliedSet } from '../models/sets.js';
import { openWarehouse, readOnly, type Warehouse } from '../duckdb/open.js';
import { publishedFile, warehouseFile } from '../../store/data-folder.js';
import { publish, type PublishRequest, type PublishedBuild } from './publish.js';
import { buildModels, type BuildOptions, type BuildResult } from '../models/run-models.js';
import { utcDay } from '../../base/time/time.js';
import type { Data } from '../../store/data.js';

/** Input of `applyModels` and `rollbackModels`. */
export interface ApplyRequest extends TableSettings, Pick<PublishRequest, 'readers' | 'keep'> {
  now: Date;
  /** Tables to drop although their headers set no `deprecation_date`. Their model files must already be deleted. */
  drop?: readonly string[] | undefined;
  /** Called when a step begins. `models`: the models are built. `publish`: the build is published. */
  onStep?: (step: 'models' | 'publish') => void;
}

/** Result of `applyModels`: changes, build and publication. */
export interface Applied {
  changes: ModelChange[];
  /** Result of the build; null when there was nothing to build. */
  built: BuildResult | null;
  /** The new build; null when readers already have these models. */
  published: PublishedBuild | null;
  /** Sentences for a person about the exchange rates, such as why a file could not be read. */
  notes: string[];
}

/**
 * Builds the models on disk in one transaction, as a run does, and publishes them. A call that is killed or fails changes
 * no table. If it was killed after the build, the next call only publishes. After a rollback, runs use the files on disk
 * again.
 * @throws ModelFailedError when a change breaks what a version promises, or a model cannot be built; readers keep their
 * build
 * @throws TidemarkError `InvalidInput` when a table to drop does not exist or still has its file
 * @throws WarehouseBusyError while a worker writes the warehouse
 */
export async function applyModels(data: Data, request: ApplyRequest): Promise<Applied> {
  const { dataDir } = data;
  return withWarehouse(data, async (warehouse) => {
    const { db } = warehouse;
    const set = await readModelSet(request.modelsDir);
    const changes = await planSet(db, set, request);
    checkDrops(request.drop ?? [], changes);
    refuseBreaking(changes);
    const notes = request.rates === undefined ? [] : (await loadRates(db, request.rates)).notes;
    const isHeld = (await heldSet(db)) !== undefined;
    const isChanged = isHeld || (await ratesWait(db)) || changes.some(({ change }) => change !== 'unchanged');
    const built = isChanged ? await build(warehouse, { set, origin: 'apply' }, request) : null;
    const isNew = built !== null || !(await isPublished(db, dataDir));
    const published = isNew ? await publishNow(warehouse, dataDir, request, 'apply') : null;
    return { changes, built, published, notes };
  });
}

/** Result of `rollbackModels`. */
export interface RolledBack extends Applied {
  /** The set of models that was restored. */
  to: AppliedSet;
}

/**
 * Builds an earlier set of models again from the SQL texts in the ledger, and publishes it. Later runs use this set
 * until `applyModels`. If an earlier rollback was killed before it published, this call only publishes.
 * @param to Number of the set; default: the set before the applied one
 * @throws TidemarkError `InvalidInput` when there is no such set
 * @throws ModelFailedError when the set can no longer be built; readers keep their build
 */
export async function rollbackModels(
  data: Data,
  request: ApplyRequest & { to?: number | undefined; dryRun?: boolean | undefined },
): Promise<RolledBack> {
  const { dataDir } = data;
  return withWarehouse(data, async (warehouse) => {
    const { db } = warehouse;
    const sets = await readSets(db);
    const last = sets.at(-1);
    const { to: wanted, dryRun = false } = request;
    const isAgain = last?.origin === 'rollback' && !dryRun && (wanted === undefined || wanted === last.ofSet);
    if (isAgain && !(await isPublished(db, dataDir))) {
      const published = await publishNow(warehouse, dataDir, request, 'rollback');
      return { to: last, changes: [], built: null, published, notes: [] };
    }
    const to = wanted === undefined ? previousSet(sets) : sets.find(({ set }) => set === wanted);
    if (to === undefined) throw noSuchSet(wanted, sets);
    const set = await readSet(db, to, request.modelsDir);
    const changes = (await planSet(db, set, request)).map((change) => ({ ...change, refused: [] }));
    if (dryRun) return { to, changes, built: null, published: null, notes: [] };
    const built = await build(warehouse, { set, origin: 'rollback', ofSet: to.set }, request);
    const published = await publishNow(warehouse, dataDir, request, 'rollback');
    return { to, changes, built, published, notes: [] };
  });
}

function build(
  warehouse: Warehouse,
  choice: Pick<BuildOptions, 'set' | 'origin' | 'ofSet'>,
  { now, personalData, drop = [], onStep = () => undefined }: ApplyRequest,
): Promise<BuildResult> {
  onStep('models');
  return buildModels(warehouse, { ...choice, now, personalData, dropped: new Set(drop) });
}

/** Whether exchange rates were loaded that no build has used yet. */
async function ratesWait(db: Database): Promise<boolean> {
  return (await db.count('SELECT count(*) FROM ledger.dirty_rates')) > 0;
}

async function planSet(
  db: Database,
  set: ModelSet,
  { now, drop }: Pick<ApplyRequest, 'now' | 'drop'>,
): Promise<ModelChange[]> {
  return planFrom(db, 'base.models', set, { day: utcDay(now), dropped: new Set(drop) });
}

function checkDrops(drop: readonly string[], changes: readonly ModelChange[]): void {
  for (const table of drop) {
    const change = changes.find(({ model }) => model === table);
    if (change?.change === 'removed') continue;
    throw new TidemarkError(
      'InvalidInput',
      change === undefined ? `There is no table ${table} to drop.` : `${table} still has its file ${change.file}.`,
      {
        todo:
          change === undefined
            ? '`tidemark models plan` lists the removed tables.'
            : 'Remove the file first; otherwise the next run builds the table again.',
      },
    );
  }
}

/** Whether readers already have the models of the warehouse. */
async function isPublished(db: Database, dataDir: string): Promise<boolean> {
  const link = publishedFile(dataDir);
  if (!existsSync(link)) return false;
  // Another version of Tidemark published this file, or the file cannot be read. Then publish a new one.
  const published = await readOnly(realpathSync(link), modelsHash).catch(() => null);
  return published === (await modelsHash(db));
}

async function publishNow(
  warehouse: Warehouse,
  dataDir: string,
  { now, readers, keep, onStep = () => undefined }: ApplyRequest,
  run: string,
): Promise<PublishedBuild> {
  onStep('publish');
  return publish(warehouse, dataDir, { run, now, readers, keep });
}

async function modelsHash(db: Database): Promise<string> {
  const [row] = await db.rows<{ hash: string }>(
    `SELECT md5(string_agg(CAST(m AS VARCHAR), chr(10) ORDER BY model, version)) AS hash FROM meta.models AS m`,
  );
  return row?.hash ?? '';
}

async function withWarehouse<T>(data: Data, work: (warehouse: Warehouse) => Promise<T>): Promise<T> {
  const { dataDir } = data;
  if (!existsSync(warehouseFile(dataDir)))
    throw new TidemarkError('Internal', `There is no warehouse at ${warehouseFile(dataDir)} yet.`, {
      todo: 'Run `tidemark snapshot` first (or `tidemark replay`, if there are landed parts). It builds every model.',
    });
  const warehouse = await openWarehouse(data, { what: 'tidemark models' });
  try {
    return await work(warehouse);
  } finally {
    await warehouse.close();
  }
}

function noSuchSet(wanted: number | undefined, sets: readonly AppliedSet[]): TidemarkError {
  const known = sets.map(({ set }) => set).join(', ') || 'none';
  return new TidemarkError(
    'InvalidInput',
    wanted === undefined
      ? 'Cannot roll back: no other set of models was applied before.'
      : `There is no set ${wanted} of models. Known sets: ${known}.`,
    { todo: '`tidemark models history` lists the sets. Choose one: tidemark models rollback --to <set>' },
  );
}
