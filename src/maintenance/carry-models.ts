import { existsSync, realpathSync } from 'node:fs';
import type { Database } from '../warehouse/duckdb/database.js';
import { insertRows } from '../warehouse/duckdb/insert-rows.js';
import { readColumns } from '../warehouse/duckdb/columns.js';
import { readOnly } from '../warehouse/duckdb/open.js';
import { buildDir, fileOf, publishedFile } from '../store/data-folder.js';
import { listBuilds } from '../warehouse/builds/builds.js';
import type { CopyConfig } from '../warehouse/builds/copy-published.js';
import { takeUnlessLost } from '../warehouse/builds/take-published.js';
import { WarehouseBusyError } from '../warehouse/duckdb/errors.js';

const MODELS = 'base.models';
const TABLES = [MODELS, 'base.model_sets', 'ledger.model_set_files', 'ledger.model_texts', 'base.model_changes'];

/**
 * Copies the records about models into a new warehouse. They say what each version promises to readers, and whether a
 * rollback is in effect. Reads them from the first file that can be read: the landing zone has everything else.
 * @param files the old warehouse, if any, then the published files (`publishedFiles`). These lack the files of earlier
 * sets of models
 * @returns sentences about files that could not be read, and what is lost with them
 * @throws WarehouseBusyError when another process writes a file
 */
export async function carryModels(into: Database, files: readonly string[]): Promise<string[]> {
  const unread: string[] = [];
  for (const file of files.filter((name) => existsSync(name))) {
    const records = await readRecords(file).catch((error: unknown) => {
      if (error instanceof WarehouseBusyError) throw error;
      unread.push(file);
    });
    if (!records?.has(MODELS)) continue;
    for (const [table, rows] of records) await insertInto(into, table, rows);
    await completeHeldSet(into);
    if (unread.length === 0) return [];
    return [
      `The records about models come from ${file}, because ${unread.join(', ')} cannot be read: \`tidemark models rollback\` cannot restore earlier sets.`,
    ];
  }
  if (unread.length === 0) return [];
  return [
    `The records about models are lost, because ${unread.join(', ')} cannot be read: a rollback is no longer in effect, and breaking changes of models were not checked.`,
  ];
}

/**
 * Copies the records about models from the published build into a new warehouse. A warehouse is new if its file was lost,
 * or if a machine found no checkpoint in the bucket. Does nothing if the warehouse has such records, or if nothing is
 * published.
 * @returns whether records were copied; then no model is built yet
 */
export async function carryIntoNew(db: Database, config: CopyConfig): Promise<boolean> {
  const hasModels = async (): Promise<boolean> => (await db.count(`SELECT count(*) FROM ${MODELS}`)) > 0;
  if (await hasModels()) return false;
  await takeUnlessLost(config);
  await db.transaction(() => carryModels(db, publishedFiles(config.dataDir)));
  return hasModels();
}

/** Files of the published builds: first the current one, then from new to old. */
export function publishedFiles(dataDir: string): string[] {
  const link = publishedFile(dataDir);
  const builds = listBuilds(dataDir).map(({ name }) => fileOf(buildDir(dataDir, name)));
  return [...new Set([...(existsSync(link) ? [realpathSync(link)] : []), ...builds])];
}

/** Reads those tables with records about models that a file has. */
function readRecords(file: string): Promise<Map<string, object[]>> {
  return readOnly(file, async (db) => {
    const columns = await readColumns(db);
    const records = new Map<string, object[]>();
    for (const table of TABLES) if (columns.has(table)) records.set(table, await db.rows(`FROM ${table}`));
    return records;
  });
}

/**
 * Without the files of sets, makes those of a set that a rollback restored from the models that it serves. Removes the
 * other sets.
 */
async function completeHeldSet(db: Database): Promise<void> {
  await db.run(
    `INSERT INTO ledger.model_set_files
     SELECT set_id, replace(table_name, '.', '/') || '.sql', sha256(definition)
     FROM base.models, (FROM base.model_sets ORDER BY set_id DESC LIMIT 1)
     WHERE origin = 'rollback' AND table_name IS NOT NULL AND NOT EXISTS (FROM ledger.model_set_files)`,
  );
  await db.run(
    `INSERT INTO ledger.model_texts
     SELECT DISTINCT sha256, definition FROM ledger.model_set_files JOIN base.models ON sha256 = sha256(definition)
     ON CONFLICT DO NOTHING`,
  );
  await db.run('DELETE FROM base.model_sets WHERE set_id NOT IN (SELECT set_id FROM ledger.model_set_files)');
}

/** Inserts rows into a table of the warehouse. Skips fields for which the table has no column. */
async function insertInto(db: Database, table: string, rows: object[]): Promise<void> {
  const described = await db.rows<{ column_name: string; column_type: string }>(`DESCRIBE ${table}`);
  const shape = Object.fromEntries(described.map((column) => [column.column_name, column.column_type]));
  await insertRows(db, table, shape, rows);
}
