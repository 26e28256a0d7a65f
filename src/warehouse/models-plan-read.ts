import { existsSync, realpathSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { Database } from './database.js';
import { asWarehouseError, WarehouseBusyError } from './errors.js';
import { MODEL_SCHEMAS, plainType, readModels, type Model } from './models.js';
import { planModels, type AppliedModel, type ModelChange } from './models-plan.js';
import { publishedFile, warehouseFile } from './paths.js';
import { quote } from './sql-files.js';

export interface ModelsPlan {
  /** What the models were compared with; `none`: there is no warehouse yet. */
  comparedWith: 'warehouse' | 'published' | 'none';
  file: string | null;
  changes: (ModelChange & {
    /** Rows of the table as it is; null where there is none. */
    rows: number | null;
  })[];
}

/**
 * Compares the models on disk with the warehouse, read-only: with the writer's file, or, while a writer holds it, with the
 * published one, which knows the models of the last publication.
 * @throws WarehouseBusyError when a writer holds the warehouse and nothing is published yet
 */
export async function readPlan(dataDir: string, given?: Model[]): Promise<ModelsPlan> {
  const models = given ?? (await readModels());
  const file = warehouseFile(dataDir);
  const link = publishedFile(dataDir);
  if (existsSync(file)) {
    try {
      return { comparedWith: 'warehouse', file, changes: await planFrom(file, 'ledger.models', models) };
    } catch (error) {
      if (!(error instanceof WarehouseBusyError) || !existsSync(link)) throw error;
    }
  }
  if (!existsSync(link)) {
    const changes = planModels(models, []).map((change) => ({ ...change, rows: null }));
    return { comparedWith: 'none', file: null, changes };
  }
  return { comparedWith: 'published', file: link, changes: await planFrom(realpathSync(link), 'meta.models', models) };
}

/** Every version of every model that was applied, with the real columns of those that are current. */
export async function readApplied(db: Database, table: 'ledger.models' | 'meta.models'): Promise<AppliedModel[]> {
  // All columns: a file written by an older Tidemark has no definitions.
  const rows = await db.rows<Omit<AppliedModel, 'columns' | 'definition'> & { definition?: string | null }>(
    `SELECT * FROM ${table} ORDER BY model, version`,
  );
  const columns = await readColumns(db);
  return rows.map(({ model, version, kind, fingerprint, state, definition }) => ({
    model,
    version,
    kind,
    fingerprint,
    state,
    definition: definition ?? null,
    columns: state === 'current' ? (columns.get(model) ?? null) : null,
  }));
}

async function readColumns(db: Database): Promise<Map<string, Map<string, string>>> {
  const rows = await db.rows<{ model: string; column_name: string; data_type: string }>(
    `SELECT schema_name || '.' || table_name AS model, column_name, data_type
     FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name IN (${MODEL_SCHEMAS.map(quote).join(', ')})
     ORDER BY model, column_index`,
  );
  const tables = new Map<string, Map<string, string>>();
  for (const { model, column_name: column, data_type: type } of rows)
    tables.set(model, (tables.get(model) ?? new Map<string, string>()).set(column, plainType(type)));
  return tables;
}

async function planFrom(
  file: string,
  table: 'ledger.models' | 'meta.models',
  models: Model[],
): Promise<ModelsPlan['changes']> {
  const instance = await openReadOnly(file);
  try {
    const db = new Database(await instance.connect(), file);
    const applied = await readApplied(db, table);
    const real = new Set(applied.filter((one) => one.columns !== null).map((one) => one.model));
    const changes: ModelsPlan['changes'] = [];
    for (const change of planModels(models, applied)) {
      const rows = real.has(change.model) ? await db.count(`SELECT count(*) FROM ${change.model}`) : null;
      changes.push({ ...change, rows });
    }
    db.closeSync();
    return changes;
  } finally {
    instance.closeSync();
  }
}

async function openReadOnly(file: string): Promise<DuckDBInstance> {
  try {
    return await DuckDBInstance.create(file, { access_mode: 'READ_ONLY', autoinstall_known_extensions: 'false' });
  } catch (error) {
    throw asWarehouseError(error, file);
  }
}
