import type { How } from './build-model.js';
import type { Database } from '../duckdb/database.js';
import type { Model } from './models.js';

/**
 * Whether a build changes the table or view by night. The lake then has one file for each night, and writes only those that
 * changed.
 */
export function isByNight({ incremental, dates }: Pick<Model, 'incremental' | 'dates'>): boolean {
  return dates === 'nights' && incremental?.by.includes('date') === true;
}

/** Records the nights that a build changed, each with a random id. Call it after `buildModel`, in its transaction. */
export async function recordNights(db: Database, model: Model, how: How): Promise<void> {
  if (!isByNight(model)) return;
  // A view may have very many rows, so take its nights from the table `changed`, which a whole build fills with all nights.
  const isFromChanged = how === 'changed' || model.kind === 'view';
  const nights = `SELECT DISTINCT date FROM ${isFromChanged ? 'changed' : model.model}`;
  const old = how === 'changed' ? `AND date IN (${nights})` : '';
  await db.run(`DELETE FROM ledger.model_nights WHERE model = $model ${old}`, { model: model.model });
  await db.run(`INSERT INTO ledger.model_nights SELECT $model, date, CAST(uuid() AS VARCHAR) FROM (${nights})`, {
    model: model.model,
  });
}
