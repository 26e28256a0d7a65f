import type { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { orderModels, parseModel, type Model } from './models.js';
import { findParents } from './parents.js';

/**
 * Reads the models from which the tables of the warehouse were built. Uses the SQL texts stored in the ledger, because
 * the files on disk may have changed since the build. Published descriptions come from these texts.
 * @throws ModelFailedError when no model was built yet
 */
export async function readBuiltModels(db: Database): Promise<Model[]> {
  const rows = await db.rows<{ table_name: string; fingerprint: string; definition: string }>(
    'SELECT table_name, fingerprint, definition FROM base.models WHERE table_name IS NOT NULL ORDER BY table_name',
  );
  if (rows.length === 0)
    throw new ModelFailedError(
      'The warehouse has no built model yet.',
      'Run `tidemark snapshot` or `tidemark models apply` first.',
    );
  const fingerprints = new Map(rows.map((row) => [row.table_name, row.fingerprint]));
  const files = rows.map((row) => ({ name: `${row.table_name.replace('.', '/')}.sql`, text: row.definition }));
  const models = await findParents(files.map(parseModel));
  return orderModels(models.map((model) => ({ ...model, fingerprint: fingerprints.get(model.model) ?? '' })));
}
