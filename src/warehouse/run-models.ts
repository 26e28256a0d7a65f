import { runAudits, saveChecks, type CheckResult } from './audit.js';
import { errorMessage, TidemarkError } from '../core/errors.js';
import type { Database } from './database.js';
import { ModelFailedError } from './errors.js';
import { MODEL_SCHEMAS, plainType, readModels, type Model } from './models.js';
import { planModels, refuseBreaking } from './models-plan.js';
import { readApplied } from './models-plan-read.js';
import type { Warehouse } from './open.js';
import { identifier } from './sql-files.js';

// What changed since the models last ran; every `incremental.changed` reads from them.
const DIRTY_TABLES = `
  SELECT table_name AS "table" FROM duckdb_tables()
  WHERE schema_name = 'ledger' AND database_name = current_database() AND starts_with(table_name, 'dirty_')`;

export interface BuildOptions {
  now?: Date;
  models?: Model[];
  /** Whether names and contact data of people are kept (`personalData: contacts`). Default: they are not. */
  personalData?: boolean;
}

export interface BuildResult {
  models: number;
  /** Audits of severity warn that found rows: `model.check (rows)`. */
  failedAudits: string[];
}

/**
 * Builds all models from the ledger, in one transaction: tables anew, incremental ones for the keys that changed since
 * the last time, or wholly when the model or anything it is built from changed, or its table is not as it was built.
 * @throws ModelFailedError when a model breaks what its version promises, cannot be built, or an audit of severity error finds rows; the tables stay as they were
 */
export async function buildModels(warehouse: Warehouse, options: BuildOptions = {}): Promise<BuildResult> {
  const { db } = warehouse;
  const models = options.models ?? (await readModels());
  const now = options.now ?? new Date();
  const checks: CheckResult[] = [];
  try {
    await db.transaction(async () => {
      await db.run('CREATE OR REPLACE TEMP TABLE settings AS SELECT CAST($keep AS BOOLEAN) AS personal_data', {
        keep: options.personalData ?? false,
      });
      for (const schema of MODEL_SCHEMAS) await db.run(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
      const plan = planModels(models, await readApplied(db, 'ledger.models'));
      refuseBreaking(plan);
      const whole = new Set(plan.filter((change) => change.rebuild).map((change) => change.model));
      for (const model of models) {
        await buildModel(db, model, whole.has(model.model));
        checks.push(...(await runAudits(db, model)));
      }
      failOnErrors(checks);
      await saveModels(db, models, now);
      await saveChecks(db, checks, now);
      for (const { table } of await db.rows<{ table: string }>(DIRTY_TABLES))
        await db.run(`DELETE FROM ledger.${table}`);
    });
  } catch (error) {
    // The tables went back; what was found wrong is worth keeping.
    if (error instanceof ModelFailedError && error.failedAudits.length > 0) await saveChecks(db, checks, now);
    throw error;
  }
  return { models: models.length, failedAudits: checks.filter((check) => check.failingRows > 0).map(describeCheck) };
}

async function buildModel(db: Database, model: Model, whole: boolean): Promise<void> {
  try {
    if (model.kind === 'view') {
      await db.run(`CREATE OR REPLACE VIEW ${model.model} AS ${model.sql}`);
      await checkColumns(db, model);
      return;
    }
    if (model.incremental !== undefined) {
      await db.run(
        `CREATE OR REPLACE TEMP TABLE changed AS ${whole ? model.incremental.all : model.incremental.changed}`,
      );
    }
    await checkColumns(db, model);
    if (model.incremental === undefined || whole)
      await db.run(`CREATE OR REPLACE TABLE ${model.model} AS ${model.sql}`);
    else await replaceKeys(db, model, model.incremental.by);
  } catch (error) {
    if (error instanceof TidemarkError) throw error;
    throw new ModelFailedError(
      `Model ${model.model} (sql/${model.file}): ${errorMessage(error)}`,
      'Correct that file; the tables are as they were.',
      { cause: error },
    );
  }
}

async function replaceKeys(db: Database, model: Model, by: string[]): Promise<void> {
  const same = by.map((column) => `old.${identifier(column)} = changed.${identifier(column)}`).join(' AND ');
  await db.run(`DELETE FROM ${model.model} AS old USING changed WHERE ${same}`);
  await db.run(`INSERT INTO ${model.model} BY NAME ${model.sql}`);
}

/** What the query gives must be what the header promises: names, order and types. */
async function checkColumns(db: Database, model: Model): Promise<void> {
  const described = await db.rows<{ column_name: string; column_type: string }>(`DESCRIBE (${model.sql})`);
  const actual = described.map((row) => `${row.column_name} ${plainType(row.column_type)}`);
  const promised = Object.entries(model.columns).map(([name, { type }]) => `${name} ${plainType(type)}`);
  if (actual.join() === promised.join()) return;
  const missing = promised.filter((column) => !actual.includes(column));
  const surplus = actual.filter((column) => !promised.includes(column));
  const difference =
    missing.length + surplus.length === 0
      ? 'their order differs'
      : `missing ${missing.join(', ') || 'none'}; not promised ${surplus.join(', ') || 'none'}`;
  throw new ModelFailedError(
    `Model ${model.model} (sql/${model.file}) does not give the columns its header promises: ${difference}.`,
    'Change the query or the header; a breaking change needs a new version.',
  );
}

function failOnErrors(checks: CheckResult[]): void {
  const failed = checks.filter((check) => check.severity === 'error' && check.failingRows > 0).map(describeCheck);
  if (failed.length === 0) return;
  throw new ModelFailedError(
    `Audits failed: ${failed.join(', ')}.`,
    'Readers keep the last published warehouse. Look at ops.checks and the model named; correct its SQL, then start the run again: what is landed and fresh is not fetched again.',
    { failedAudits: failed },
  );
}

function describeCheck(check: CheckResult): string {
  return `${check.model}.${check.check} (${check.failingRows})`;
}

async function saveModels(db: Database, models: Model[], now: Date): Promise<void> {
  await db.run(`UPDATE ledger.models SET state = 'retired' WHERE state = 'current'`);
  for (const { model, version, kind, fingerprint, text } of models) {
    await db.run(
      `INSERT INTO ledger.models (model, version, kind, fingerprint, applied_at, state, definition)
       VALUES ($model, $version, $kind, $fingerprint, CAST($at AS TIMESTAMPTZ), 'current', $text)
       ON CONFLICT (model, version) DO UPDATE SET
         state = 'current',
         kind = excluded.kind,
         applied_at = CASE WHEN models.fingerprint = excluded.fingerprint THEN models.applied_at ELSE excluded.applied_at END,
         fingerprint = excluded.fingerprint,
         definition = excluded.definition`,
      { model, version, kind, fingerprint, at: now.toISOString(), text },
    );
  }
}
