import { existsSync, realpathSync } from 'node:fs';
import type { Database } from '../duckdb/database.js';
import { insertRows } from '../duckdb/insert-rows.js';
import { sha256 } from '../models/models.js';
import { openReadOnly } from '../duckdb/open.js';
import { publishedFile } from '../core/data-folder.js';

const TABLES = ['models', 'model_sets', 'model_set_files', 'model_texts', 'model_changes'];

/**
 * Copies the records about models from the old warehouse into a new one. These records say what each version promises
 * to readers, and whether a rollback is in effect. Without an old warehouse, reads the records from a published file.
 * @param before The open warehouse to replace; null when there is none or it cannot be opened
 * @param dataDirs Folders in which to look for a published file; the first one found is used
 */
export async function carryModels(into: Database, before: Database | null, dataDirs: readonly string[]): Promise<void> {
  if (before !== null) {
    for (const table of TABLES) await insertInto(into, table, await before.rows(`FROM ledger.${table}`));
    return;
  }
  const link = dataDirs.map(publishedFile).find((file) => existsSync(file));
  if (link === undefined) return;
  const { db, close } = await openReadOnly(realpathSync(link));
  try {
    await carryPublished(into, await db.rows<PublishedModel>('FROM meta.models'));
    const [changes] = await db.rows(
      `SELECT 1 FROM duckdb_tables() WHERE schema_name = 'meta' AND table_name = 'model_changes'`,
    );
    if (changes !== undefined) await insertInto(into, 'model_changes', await db.rows('FROM meta.model_changes'));
  } finally {
    close();
  }
}

/** A row of `meta.models`. In files of an older Tidemark, the last columns are missing. */
interface PublishedModel {
  model: string;
  state: string;
  definition?: string | null;
  table_name?: string | null;
  held_since?: string | null;
}

async function carryPublished(into: Database, rows: PublishedModel[]): Promise<void> {
  // `insertInto` skips fields for which the table in the ledger has no column.
  const known = rows.map((row) => ({
    ...row,
    table_name: row.state === 'retired' ? null : (row.table_name ?? row.model),
  }));
  await insertInto(into, 'models', known);
  const heldSince = rows.find((row) => row.held_since)?.held_since;
  const texts = known.flatMap(({ table_name: table, definition }) =>
    table === null || !definition
      ? []
      : [{ file: `${table.replace('.', '/')}.sql`, sha256: sha256(definition), text: definition }],
  );
  if (heldSince === undefined || heldSince === null || texts.length === 0) return;
  await insertInto(into, 'model_sets', [{ set_id: 1, origin: 'rollback', of_set: 1, applied_at: heldSince }]);
  await insertInto(
    into,
    'model_set_files',
    texts.map(({ file, sha256: hash }) => ({ set_id: 1, file, sha256: hash })),
  );
  const distinct = new Map(texts.map(({ sha256: hash, text }) => [hash, text]));
  await insertInto(
    into,
    'model_texts',
    [...distinct].map(([hash, text]) => ({ sha256: hash, text })),
  );
}

/** Inserts rows into a table of the ledger. Reads the table's columns first, because migrations may have added some. */
async function insertInto(db: Database, table: string, rows: object[]): Promise<void> {
  const described = await db.rows<{ column_name: string; column_type: string }>(`DESCRIBE ledger.${table}`);
  const shape = Object.fromEntries(described.map((column) => [column.column_name, column.column_type]));
  await insertRows(db, `ledger.${table}`, shape, rows);
}
