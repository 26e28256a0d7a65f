import { existsSync, realpathSync } from 'node:fs';
import type { Database } from '../duckdb/database.js';
import { ModelFailedError, WarehouseBusyError } from '../duckdb/errors.js';
import { plainType, readModelSet, type Model, type ModelSet } from './models.js';
import { modelsInForce } from './in-force.js';
import { OWN } from './own/own-files.js';
import { planModels, type AppliedModel, type Leave, type ModelChange } from './plan.js';
import { heldSet, readSets } from './sets.js';
import { readOnly } from '../duckdb/open.js';
import { publishedFile, warehouseFile } from '../../store/data-folder.js';
import { countRows } from '../duckdb/count-rows.js';
import { readColumns } from '../duckdb/columns.js';
import type { TypedColumn } from '../duckdb/parquet-types.js';
import { findFaults } from './find-faults.js';
import { sha256 } from '../../base/hash.js';
import { utcDay } from '../../base/time/time.js';

/** Result of `tidemark models plan`. */
export interface ModelsPlan {
  /** Where the applied models were read from. `none`: there is no warehouse yet. */
  comparedWith: 'warehouse' | 'published' | 'none';
  file: string | null;
  /**
   * Set of models that a rollback restored. Runs use this set until `models apply`. Null when runs build the models on
   * disk.
   */
  held: { set: number | null; since: string } | null;
  /** One sentence for each model that is served after its deprecation date because another served model reads it. */
  overdue: string[];
  changes: (ModelChange & {
    /** Number of rows of the existing table; null when there is no table. */
    rows: number | null;
    /** What would stop the build, such as a column that does not exist. One phrase each. */
    faults: string[];
  })[];
}

/** Options of `readPlan`. */
export interface PlanOptions {
  /** Models to compare. Default: the models on disk. */
  models?: Model[];
  /** Folder with the user's own models. */
  modelsDir?: string | undefined;
  /** Time that decides which deprecated versions are still served. Default: now. */
  now?: Date;
}

/**
 * Compares the models on disk with the warehouse, without writing. Reads the writer's file. If a worker has that file
 * open, reads the published file instead, which records the models of the last publication.
 * @throws WarehouseBusyError when a worker has the warehouse open and nothing is published yet
 */
export async function readPlan(dataDir: string, options: PlanOptions = {}): Promise<ModelsPlan> {
  const onDisk: Pick<ModelSet, 'models' | 'own'> =
    options.models === undefined ? await readModelSet(options.modelsDir) : { models: options.models, own: [] };
  const day = utcDay(options.now ?? new Date());
  const { models, overdue } = modelsInForce(onDisk.models, day);
  const set = { models, own: onDisk.own };
  const file = warehouseFile(dataDir);
  const link = publishedFile(dataDir);
  if (existsSync(file)) {
    try {
      return { comparedWith: 'warehouse', file, overdue, ...(await planFile(file, 'base.models', set, day)) };
    } catch (error) {
      if (!(error instanceof WarehouseBusyError) || !existsSync(link)) throw error;
    }
  }
  if (!existsSync(link)) {
    const planned = planModels(models, [], { day });
    return { comparedWith: 'none', file: null, held: null, overdue, changes: await addFacts(models, planned) };
  }
  const plan = await planFile(realpathSync(link), 'meta.models', set, day);
  return { comparedWith: 'published', file: link, overdue, ...plan };
}

/**
 * Throws if a model has a fault that would stop its build.
 * @throws ModelFailedError with the name of each model and its faults
 */
export function refuseFaults(changes: ModelsPlan['changes']): void {
  const faulty = changes.filter(({ faults }) => faults.length > 0);
  if (faulty.length === 0) return;
  throw new ModelFailedError(
    faulty.map(({ model, faults }) => `${model} cannot be built: ${faults.join('; ')}.`).join('\n'),
    'Correct the model file. Until then, every build of this model fails.',
  );
}

interface AppliedRow extends Pick<AppliedModel, 'model' | 'version' | 'kind' | 'fingerprint' | 'state'> {
  definition: string;
  table_name: string | null;
  deprecation_date: string | null;
}

/** Reads every version of every applied model. A version that has a table gets the columns of this table. */
export async function readApplied(db: Database, from: 'base.models' | 'meta.models'): Promise<AppliedModel[]> {
  const existing = await readColumns(db);
  const plain = (columns: readonly TypedColumn[]) => new Map(columns.map(({ name, type }) => [name, plainType(type)]));
  const rows = await db.rows<AppliedRow>(
    `SELECT model, version, kind, fingerprint, state, definition, table_name, deprecation_date FROM ${from} ORDER BY model, version`,
  );
  return rows.map(({ table_name: table, deprecation_date: deprecationDate, ...row }) => {
    const columns = table === null ? undefined : existing.get(table);
    return { ...row, table, deprecationDate, columns: columns === undefined ? null : plain(columns) };
  });
}

/** Compares the models that are served on a day with those that a file records. */
export async function planFrom(
  db: Database,
  table: 'base.models' | 'meta.models',
  { models, own = [] }: Pick<ModelSet, 'models'> & Partial<Pick<ModelSet, 'own'>>,
  leave: Leave,
): Promise<ModelChange[]> {
  const changed = table === 'base.models' ? await changedSince(db, own) : undefined;
  return planModels(modelsInForce(models, leave.day).models, await readApplied(db, table), leave, changed);
}

async function planFile(
  file: string,
  table: 'base.models' | 'meta.models',
  set: Pick<ModelSet, 'models' | 'own'>,
  day: string,
): Promise<Pick<ModelsPlan, 'changes' | 'held'>> {
  return readOnly(file, async (db) => ({
    changes: await addFacts(set.models, await planFrom(db, table, set, { day }), db),
    held: await readHold(db, table),
  }));
}

/** Adds the faults of the changed models, and the numbers of rows of their tables in the database. */
async function addFacts(
  models: Model[],
  changes: readonly ModelChange[],
  db?: Database,
): Promise<ModelsPlan['changes']> {
  const changed = changes.filter(({ change }) => change !== 'unchanged' && change !== 'altered');
  const faults = await findFaults(models, new Set(changed.map(({ model }) => model)));
  const existing = db === undefined ? [] : [...(await readColumns(db)).keys()];
  const planned = existing.filter((table) => changes.some(({ model }) => model === table));
  const rows = db === undefined ? undefined : await countRows(db, planned);
  return changes.map((change) => ({
    ...change,
    rows: rows?.get(change.model) ?? null,
    faults: faults.get(change.model) ?? [],
  }));
}

/** Returns the names of the files that differ from those of the set in use. */
async function changedSince(db: Database, own: ModelSet['own']): Promise<ReadonlySet<string>> {
  const before = (await readSets(db)).at(-1)?.files ?? new Map<string, string>();
  const now = new Map(own.map(({ name, text }) => [name, sha256(text)]));
  const names = [...before.keys(), ...now.keys()].filter((name) => name.startsWith(OWN));
  return new Set(names.filter((name) => before.get(name) !== now.get(name)));
}

/** Reads the rollback that is in effect; null if there is none. */
async function readHold(db: Database, table: 'base.models' | 'meta.models'): Promise<ModelsPlan['held']> {
  if (table === 'base.models') {
    const held = await heldSet(db);
    return held === undefined ? null : { set: held.ofSet, since: held.appliedAt };
  }
  const [row] = await db.rows<{ held_since: string | null }>('SELECT held_since FROM meta.models LIMIT 1');
  return row?.held_since ? { set: null, since: new Date(row.held_since).toISOString().replace('.000', '') } : null;
}
