import { errorMessage } from '../../base/errors.js';
import { formatCount } from '../../../schemas/format.js';
import { countRows } from '../duckdb/count-rows.js';
import { Database } from '../duckdb/database.js';
import { ModelFailedError } from '../duckdb/errors.js';
import { openInstance } from '../duckdb/instance.js';
import { memoryLimit, OutOfMemoryError } from '../duckdb/memory-limit.js';
import type { Model } from '../models/models.js';
import { isSame, readContents, type TableContents } from './contents.js';
import type { TableChanges } from './write-changes.js';

/** What to check in a new build. */
interface Check {
  /** What the tables must contain. */
  contents: TableContents;
  /** Tables of which to read all rows. */
  read: readonly Model[];
  /** Tables of which to read only the inserted rows. */
  inserted: readonly TableChanges[];
}

/**
 * Opens the file as a reader would. Checks the number of rows of each table, the rows of the tables in `read`, the
 * inserted rows of the tables in `inserted`, and that each column has a comment.
 * @throws ModelFailedError
 */
export async function checkBuild(file: string, { contents, read, inserted }: Check): Promise<void> {
  const instance = await openInstance(file, { access_mode: 'READ_ONLY', memory_limit: memoryLimit(file) });
  try {
    const db = new Database(await instance.connect(), file);
    const expectedRows = [...contents, ['meta.receipt', { rows: 1 }] as const];
    const rowsOf = await countRows(
      db,
      expectedRows.map(([table]) => table),
    );
    for (const [table, { rows }] of expectedRows)
      if (rowsOf.get(table) !== rows)
        throw unsound(file, `${table} has ${formatCount(rowsOf.get(table) ?? 0)} rows instead of ${formatCount(rows)}`);
    for (const model of read)
      if (
        rowsOf.get(model.model) !== 0 &&
        !isSame(await readContents(db, model, model.model), contents.get(model.model))
      )
        throw unsound(file, `rows of ${model.model} differ`);
    for (const { model, inserted: expected } of inserted) {
      const [last] = await db.rows<{ row: string | null }>(`SELECT max(rowid) AS row FROM ${model.model}`);
      // The inserted rows are the last ones. A constant lets DuckDB skip the other rows.
      const rows = `(FROM ${model.model} WHERE rowid > ${Number(last?.row ?? -1) - expected.rows})`;
      if (!isSame(await readContents(db, model, rows), expected))
        throw unsound(file, `inserted rows of ${model.model} differ`);
    }
    const bare = await db.count('SELECT count(*) FROM duckdb_columns() WHERE comment IS NULL AND NOT internal');
    if (bare > 0) throw unsound(file, `${bare} columns have no comment`);
    db.closeSync();
  } catch (error) {
    throw error instanceof ModelFailedError || error instanceof OutOfMemoryError
      ? error
      : unsound(file, errorMessage(error));
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
