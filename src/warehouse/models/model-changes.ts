import { countRows } from '../duckdb/count-rows.js';
import type { Database } from '../duckdb/database.js';
import { insertRows } from '../duckdb/insert-rows.js';
import { readRelations } from './build-model.js';
import type { ModelChange } from './plan.js';
import type { SetOrigin } from './sets.js';

/** Changes of models. A table that was altered or lost is built again from the same model, which is none. */
function realChanges(changes: readonly ModelChange[]): ModelChange[] {
  return changes.filter(({ change }) => change !== 'unchanged' && change !== 'altered');
}

/** Number of rows of each table before the changes. A view stores no rows, so it is left out, and so are added models. */
export async function countBefore(db: Database, changes: readonly ModelChange[]): Promise<Map<string, number>> {
  return countTables(
    db,
    realChanges(changes).filter(({ change }) => change !== 'added'),
  );
}

async function countTables(db: Database, changes: readonly ModelChange[]): Promise<Map<string, number>> {
  const tables = changes.map(({ model }) => model);
  if (tables.length === 0) return new Map();
  const existing = await readRelations(db);
  return countRows(
    db,
    tables.filter((table) => existing.get(table) === 'TABLE'),
  );
}

/**
 * Records what changes of models did to their tables. Call it after the build, in its transaction.
 * @param before result of `countBefore`, from before the build
 */
export async function recordChanges(
  db: Database,
  changes: readonly ModelChange[],
  { before, origin, now }: { before: ReadonlyMap<string, number>; origin: SetOrigin; now: Date },
): Promise<void> {
  const changed = realChanges(changes);
  if (changed.length === 0) return;
  const after = await countTables(db, changed);
  const last = await db.count('SELECT coalesce(max(change_id), 0) FROM base.model_changes');
  const rows = changed.map((change, i) => ({
    change_id: last + i + 1,
    table_name: change.model,
    version: change.version,
    previous_version: change.appliedVersion,
    change: change.change,
    because: change.because,
    effects: [...change.breaking, ...change.nonBreaking],
    rows_before: before.get(change.model) ?? null,
    rows_after: after.get(change.model) ?? null,
    origin,
    applied_at: now.toISOString(),
  }));
  await insertRows(db, 'base.model_changes', COLUMNS, rows);
}

const COLUMNS = {
  change_id: 'BIGINT',
  table_name: 'VARCHAR',
  version: 'INTEGER',
  previous_version: 'INTEGER',
  change: 'VARCHAR',
  because: 'VARCHAR[]',
  effects: 'VARCHAR[]',
  rows_before: 'BIGINT',
  rows_after: 'BIGINT',
  origin: 'VARCHAR',
  applied_at: 'TIMESTAMPTZ',
};
