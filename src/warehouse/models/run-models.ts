import { tableBegun } from '../../base/observed.js';
import { readFailedChecks, readsChanged, runAudits, saveChecks, type CheckResult } from './audit.js';
import {
  buildModel,
  describeModel,
  dropRelation,
  fillChanged,
  putSettings,
  readRelations,
  type Relations,
} from './build-model.js';
import { recordNights } from './changed-nights.js';
import type { TableSettings } from '../../config/config.js';
import type { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { insertRows } from '../duckdb/insert-rows.js';
import { loadRates } from '../rates/load-rates.js';
import { Inputs } from './inputs.js';
import { MODEL_SCHEMAS, readModelSet, type Model, type ModelSet } from './models.js';
import { withOwn } from './own/use-own.js';
import { modelsInForce } from './in-force.js';
import { countBefore, recordChanges } from './model-changes.js';
import { planModels, refuseBreaking, type AppliedModel } from './plan.js';
import { readApplied } from './read-plan.js';
import { heldSet, readSet, saveSet, type SetOrigin } from './sets.js';
import type { Warehouse } from '../duckdb/open.js';
import { readShared, readSqlFile } from '../duckdb/sql-files.js';
import { withShared } from '../duckdb/shared.js';
import { utcDay } from '../../base/time/time.js';

/** Options of `buildModels`. */
export interface BuildOptions extends Partial<TableSettings> {
  now?: Date;
  /** Models to build. Default: the models of `set`. */
  models?: Model[];
  /**
   * Set of models to build. Default: the model files on disk; after a rollback, the restored set. `origin` and `ofSet`
   * say why the set is applied; they are stored with it.
   */
  set?: ModelSet;
  origin?: SetOrigin;
  ofSet?: number;
  /** Tables to drop although their headers set no `deprecation_date`. Their model files must already be deleted. */
  dropped?: ReadonlySet<string>;
}

/** Result of `buildModels`. */
export interface BuildResult {
  models: number;
  /** Audits with severity warn whose last result has rows, as `model.check (rows)`. */
  failedAudits: string[];
  /** Messages about the models for a person, one sentence each. */
  notes: string[];
}

/**
 * Builds all models from the ledger, in one transaction. Skips models and audits whose inputs did not change since the
 * last build (see `Inputs`). Builds tables whole. Builds incremental models only for the keys that changed since the
 * last build, or whole in two cases: the table was altered, or the model, a parent, a macro or a seed changed.
 *
 * Uses the models on disk. After a rollback, uses the restored set until `models apply`.
 * @throws ModelFailedError when a model breaks its promise or cannot be built, or when an audit with severity error
 * finds rows; the tables stay as they were
 */
export async function buildModels(warehouse: Warehouse, options: BuildOptions = {}): Promise<BuildResult> {
  const { db } = warehouse;
  const now = options.now ?? new Date();
  const { set, notes } = await chooseSet(db, options);
  const day = utcDay(now);
  const { models, overdue } = modelsInForce(set.models, day);
  const served = models.map(({ model }) => model);
  const personalData = options.personalData ?? false;
  if (options.rates !== undefined) notes.push(...(await loadRates(db, options.rates)).notes);
  // Records the changes of the tables of models itself, because they decide which other models to build.
  const recorded = new Set(served);
  const build = () =>
    db.transaction(async () => {
      await putSettings(db, { personalData });
      await db.run(MODEL_SCHEMAS.map((schema) => `CREATE SCHEMA IF NOT EXISTS ${schema}`).join(';'));
      const applied = await readApplied(db, 'base.models');
      // In a copied warehouse, the results of the audits of empty tables hold for the first build.
      if (applied.length === 0)
        await db.run('UPDATE base.checks SET "at" = CAST($at AS TIMESTAMPTZ)', { at: now.toISOString() });
      const plan = planModels(models, applied, { day, dropped: options.dropped });
      // Do not refuse a rollback. A person asked for it, and the command's output lists the breaking changes.
      if (options.origin !== 'rollback') refuseBreaking(plan);
      const rowsBefore = await countBefore(db, plan);
      const changes = new Map(plan.map((change) => [change.model, change]));
      const isChanged = plan.some(({ change }) => change !== 'unchanged');
      const existing: Relations = isChanged ? await readRelations(db) : new Map();
      const inputs = await Inputs.read(db, models, { personalData });
      const checks: CheckResult[] = [];
      const audited: string[] = [];
      for (const [done, model] of models.entries()) {
        tableBegun.report({ name: model.model, done, total: models.length });
        const { change, rebuild } = changes.get(model.model)!;
        const isInPlace = change !== 'altered' && inputs.isMadeBySame(model);
        const how = rebuild || !isInPlace ? 'whole' : 'changed';
        const isSkipped = isInPlace && inputs.areSame(model);
        const isBuilt = !isSkipped && (await buildModel(db, model, how, existing, isInPlace));
        if (isBuilt) {
          inputs.setChanged(model);
          await recordNights(db, model, how);
        }
        if (!isBuilt && change === 'directly modified') await describeModel(db, model);
        if (inputs.needAudits(model)) {
          // The audits changed, or tables that they read. So check all keys.
          if (!isBuilt && readsChanged(model)) await fillChanged(db, model, 'whole');
          audited.push(model.model);
          checks.push(...(await runAudits(db, model, { onlyChanged: isBuilt && how === 'changed' })));
        }
        inputs.setDone(model);
      }
      failOnErrors(checks);
      const gone = goneTables(applied, models);
      for (const name of gone) await dropRelation(db, name, existing.get(name) ?? 'TABLE');
      notes.push(...retirementNotes(applied, set.models, gone));
      if (isChanged) await saveModels(db, models, now);
      const origin = options.origin ?? 'run';
      await recordChanges(db, plan, { before: rowsBefore, origin, now });
      await saveSet(db, set, { origin, ofSet: options.ofSet ?? null, now });
      if (audited.length > 0 || gone.length > 0) await saveChecks(db, checks, { now, audited, served });
      await inputs.save(db, models);
      await db.run(SAVE_PERSONAL_DATA, { personalData });
      await emptyDirtyTables(db);
      return (await readFailedChecks(db, models)).map(describeCheck);
    }, recorded);
  const failedAudits = await withShared(db, set.shared, () => withOwn(db, models, build));
  return { models: models.length, failedAudits, notes: [...notes, ...overdue] };
}

async function chooseSet(db: Database, options: BuildOptions): Promise<{ set: ModelSet; notes: string[] }> {
  if (options.set !== undefined) return { set: options.set, notes: [] };
  if (options.models !== undefined)
    return { set: { models: options.models, shared: readShared(), own: [] }, notes: [] };
  // After a rollback, do not read the model files on disk, because they may be broken.
  const held = await heldSet(db);
  if (held === undefined) return { set: await readModelSet(options.modelsDir), notes: [] };
  return { set: await readSet(db, held, options.modelsDir), notes: [describeHold(held)] };
}

/** Explains why runs do not build the models on disk. */
export function describeHold({ ofSet, appliedAt }: { ofSet: number | null; appliedAt: string }): string {
  return `Since the rollback of ${appliedAt}, each run builds set ${ofSet} of the models. Changed model files take effect with \`tidemark models apply\`.`;
}

/** Returns the tables of applied models that are no longer served. */
function goneTables(applied: readonly AppliedModel[], models: readonly Model[]): string[] {
  const made = new Set(models.map(({ model }) => model));
  return applied.flatMap(({ table }) => (table === null || made.has(table) ? [] : [table]));
}

function retirementNotes(
  applied: readonly AppliedModel[],
  models: readonly Model[],
  gone: readonly string[],
): string[] {
  return applied.flatMap(({ table, model, version, deprecationDate }) =>
    table !== null && gone.includes(table) && models.some((one) => one.model === table)
      ? [`${table} is retired: version ${version} of ${model} was served until ${deprecationDate}.`]
      : [],
  );
}

function failOnErrors(checks: CheckResult[]): void {
  const failed = checks.filter((check) => check.severity === 'error' && check.failingRows > 0).map(describeCheck);
  if (failed.length === 0) return;
  throw new ModelFailedError(
    `Audits failed: ${failed.join(', ')}.`,
    'The last build stays current. The file of the named model holds the audit. Correct its SQL. Then start the run again: fetched records are kept.',
    { failedAudits: failed },
  );
}

function describeCheck(check: CheckResult): string {
  return `${check.model}.${check.check} (${check.failingRows})`;
}

function stateOf({ deprecationDate }: Model): string {
  return deprecationDate === null ? 'current' : 'deprecated';
}

async function saveModels(db: Database, models: Model[], now: Date): Promise<void> {
  await db.run(`UPDATE base.models SET state = 'retired', table_name = NULL WHERE state <> 'retired'`);
  const rows = models.map((model) => ({
    model: model.name,
    version: model.version,
    kind: model.kind,
    fingerprint: model.fingerprint,
    applied_at: now.toISOString(),
    state: stateOf(model),
    definition: model.text,
    table_name: model.model,
    deprecation_date: model.deprecationDate,
  }));
  await insertRows(
    db,
    'base.models',
    MODEL_COLUMNS,
    rows,
    `ON CONFLICT (model, version) DO UPDATE SET
       state = excluded.state,
       kind = excluded.kind,
       applied_at = CASE WHEN models.fingerprint = excluded.fingerprint THEN models.applied_at ELSE excluded.applied_at END,
       fingerprint = excluded.fingerprint,
       definition = excluded.definition,
       table_name = excluded.table_name,
       deprecation_date = excluded.deprecation_date`,
  );
}

const MODEL_COLUMNS = {
  model: 'VARCHAR',
  version: 'INTEGER',
  kind: 'VARCHAR',
  fingerprint: 'VARCHAR',
  applied_at: 'TIMESTAMPTZ',
  state: 'VARCHAR',
  definition: 'VARCHAR',
  table_name: 'VARCHAR',
  deprecation_date: 'DATE',
};

/** Records with which setting `personalData` the tables were built. */
const SAVE_PERSONAL_DATA = `UPDATE ledger.built_from
  SET personal_data = $personalData, had_personal_data = had_personal_data OR $personalData
  WHERE personal_data <> $personalData`;

/**
 * Empties the tables `dirty_…`. They hold the keys that changed since the last build of the models. Every query
 * `incremental.changed` reads from them.
 */
async function emptyDirtyTables(db: Database): Promise<void> {
  const tables = readSqlFile('schema.sql').text.matchAll(/^CREATE TABLE (ledger\.dirty_\w+)/gm);
  await db.run([...tables].map(([, table]) => `DELETE FROM ${table}`).join(';'));
}
