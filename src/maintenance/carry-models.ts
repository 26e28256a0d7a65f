import { existsSync, realpathSync } from 'node:fs';
import type { Database } from '../warehouse/duckdb/database.js';
import { insertRows } from '../warehouse/duckdb/insert-rows.js';
import { openReadOnly } from '../warehouse/duckdb/open.js';
import { buildDir, fileOf, publishedFile } from '../store/data-folder.js';
import { DamagedFileError } from '../store/disk-errors.js';
import { listBuilds } from '../warehouse/builds/builds.js';
import type { CopyConfig } from '../warehouse/builds/copy-published.js';
import { takeUnlessLost } from '../warehouse/builds/take-published.js';
import { WarehouseBusyError } from '../warehouse/duckdb/errors.js';
import { sha256 } from '../base/hash.js';

const TABLES = ['base.models', 'base.model_sets', 'ledger.model_set_files', 'ledger.model_texts', 'base.model_changes'];

/** Rows about models, by table of the warehouse. */
export type ModelRecords = ReadonlyMap<string, object[]>;

/**
 * Reads the records about models from a warehouse file, without changing it. Returns null if there is no file, or if it
 * cannot be read: the landing zone has everything else, and the published builds have copies of these records.
 * @throws WarehouseBusyError when another process writes the file
 */
export async function readModelRecords(file: string): Promise<ModelRecords | null> {
  if (!existsSync(file)) return null;
  try {
    const { db, close } = await openReadOnly(file);
    try {
      const records = new Map<string, object[]>();
      for (const table of TABLES) records.set(table, await db.rows(`FROM ${table}`));
      return records;
    } finally {
      close();
    }
  } catch (error) {
    if (error instanceof WarehouseBusyError) throw error;
    return null;
  }
}

/**
 * Copies the records about models into a new warehouse. They say what each version promises to readers, and whether a
 * rollback is in effect. Without the records of an old warehouse, reads them from the newest published file that is not
 * damaged.
 * @param before records of the warehouse to replace; null when there is none or it cannot be read
 * @param dataDirs folders in which to look for published files
 * @returns a sentence if only damaged files have these records, so that they are lost; else null
 */
export async function carryModels(
  into: Database,
  before: ModelRecords | null,
  dataDirs: readonly string[],
): Promise<string | null> {
  if (before !== null) {
    for (const [table, rows] of before) await insertInto(into, table, rows);
    return null;
  }
  let damaged: DamagedFileError | undefined;
  for (const file of dataDirs.flatMap(publishedFiles)) {
    try {
      const { models, changes } = await readPublishedModels(file);
      await carryPublished(into, models);
      await insertInto(into, 'base.model_changes', changes);
      return null;
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      damaged ??= error;
    }
  }
  return damaged === undefined
    ? null
    : `The records about models are lost, because ${damaged.file} is damaged: a rollback is no longer in effect, and breaking changes of models were not checked.`;
}

/**
 * Copies the records about models from the published build into a new warehouse. They say what each version promises, and
 * whether a rollback is in effect. A warehouse is new if its file was lost, or if a machine found no checkpoint in the
 * bucket. Does nothing if the warehouse has such records, or if nothing is published.
 * @returns whether records were copied; then no model is built yet
 */
export async function carryIntoNew(db: Database, config: CopyConfig): Promise<boolean> {
  const hasModels = async (): Promise<boolean> => (await db.count('SELECT count(*) FROM base.models')) > 0;
  if (await hasModels()) return false;
  await takeUnlessLost(config);
  await db.transaction(() => carryModels(db, null, [config.dataDir]));
  return hasModels();
}

/** Files of the published builds: first the current one, then from new to old. */
function publishedFiles(dataDir: string): string[] {
  const link = publishedFile(dataDir);
  const builds = listBuilds(dataDir).map(({ name }) => fileOf(buildDir(dataDir, name)));
  return [...new Set([...(existsSync(link) ? [realpathSync(link)] : []), ...builds])];
}

async function readPublishedModels(file: string): Promise<{ models: PublishedModel[]; changes: object[] }> {
  const { db, close } = await openReadOnly(file);
  try {
    const models = await db.rows<PublishedModel>('FROM meta.models');
    return { models, changes: await db.rows('FROM meta.model_changes') };
  } finally {
    close();
  }
}

/** A row of `meta.models`. */
interface PublishedModel {
  definition: string;
  table_name: string | null;
  held_since: string | null;
}

async function carryPublished(into: Database, rows: PublishedModel[]): Promise<void> {
  // `insertInto` skips fields for which the table has no column.
  await insertInto(into, 'base.models', rows);
  const heldSince = rows.find((row) => row.held_since)?.held_since;
  if (heldSince === undefined || heldSince === null) return;
  const texts = rows.flatMap(({ table_name: table, definition }) =>
    table === null ? [] : [{ file: `${table.replace('.', '/')}.sql`, sha256: sha256(definition), text: definition }],
  );
  await insertInto(into, 'base.model_sets', [{ set_id: 1, origin: 'rollback', of_set: 1, applied_at: heldSince }]);
  await insertInto(
    into,
    'ledger.model_set_files',
    texts.map(({ file, sha256: hash }) => ({ set_id: 1, file, sha256: hash })),
  );
  const distinct = new Map(texts.map(({ sha256: hash, text }) => [hash, text]));
  await insertInto(
    into,
    'ledger.model_texts',
    [...distinct].map(([hash, text]) => ({ sha256: hash, text })),
  );
}

/** Inserts rows into a table of the warehouse. Reads the table's columns first: the rows may have others. */
async function insertInto(db: Database, table: string, rows: object[]): Promise<void> {
  const described = await db.rows<{ column_name: string; column_type: string }>(`DESCRIBE ${table}`);
  const shape = Object.fromEntries(described.map((column) => [column.column_name, column.column_type]));
  await insertRows(db, table, shape, rows);
}
