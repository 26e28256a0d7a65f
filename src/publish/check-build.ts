import { errorMessage } from '../core/errors.js';
import { formatCount } from '../../schemas/format.js';
import { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { openInstance } from '../duckdb/instance.js';
import type { Model } from '../models/models.js';
import { readContents, type TableContents } from './contents.js';

/**
 * Opens the file as a reader would. Checks the number of rows of each table, the rows of the tables that were written,
 * and that each column has a comment.
 */
export async function checkBuild(file: string, contents: TableContents, changed: readonly Model[]): Promise<void> {
  const instance = await openInstance(file, { access_mode: 'READ_ONLY' });
  try {
    const db = new Database(await instance.connect(), file);
    for (const [table, expected] of [...contents, ['meta.receipt', { rows: 1 }] as const]) {
      const found = await db.count(`SELECT count(*) FROM ${table}`);
      if (found !== expected.rows)
        throw unsound(file, `${table} has ${formatCount(found)} rows instead of ${formatCount(expected.rows)}`);
    }
    for (const model of changed) {
      const { hash } = await readContents(db, model, model.model);
      if (hash !== contents.get(model.model)?.hash) throw unsound(file, `rows of ${model.model} differ`);
    }
    const bare = await db.count('SELECT count(*) FROM duckdb_columns() WHERE comment IS NULL AND NOT internal');
    if (bare > 0) throw unsound(file, `${bare} columns have no comment`);
    db.closeSync();
  } catch (error) {
    throw error instanceof ModelFailedError ? error : unsound(file, errorMessage(error));
  } finally {
    instance.closeSync();
  }
}

function unsound(file: string, what: string): ModelFailedError {
  return new ModelFailedError(
    `The new build ${file} failed its check: ${what}.`,
    'The last build stays current. Run `tidemark publish` again; if this repeats, check the disk.',
  );
}
