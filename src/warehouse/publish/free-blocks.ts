import { renameSync } from 'node:fs';
import { replayFile } from '../../store/data-folder.js';
import type { Database } from '../duckdb/database.js';
import type { Warehouse } from '../duckdb/open.js';
import { readBlocks, rewriteClosed } from '../duckdb/rewrite-closed.js';

/*
 * Free blocks of a DuckDB file keep the bytes of removed rows. Two things follow:
 * - The warehouse file is written again when a quarter of its blocks is free, or when `personalData` became `none`.
 * - With `personalData: none`, the ledger may still have people that were landed before. Then the copy is written again
 *   after the ledger was dropped. So no build has a byte of them.
 */

/** Which files to write again, without free blocks. */
export interface FreeBlocks {
  warehouse: boolean;
  copy: boolean;
}

// 32 MiB. A night frees and uses some blocks even in a small file.
const MANY_BLOCKS = 128;
const LARGE_SHARE = 0.25;

/** Decides which files to write again. Call it before the warehouse is closed. */
export async function findFreeBlocks(db: Database): Promise<FreeBlocks> {
  const { all, free } = await readBlocks(db);
  const [built] = await db.rows<{ personal_data: boolean; had_personal_data: boolean }>('FROM ledger.built_from');
  const isNone = built?.personal_data === false;
  const isChanged = isNone && built.had_personal_data;
  // The new file has this row, and no byte of the old rows.
  if (isChanged) await db.run('UPDATE ledger.built_from SET had_personal_data = false');
  return {
    warehouse: isChanged || (free >= MANY_BLOCKS && free >= LARGE_SHARE * all),
    copy: isNone && (await db.count(NAMES_PEOPLE)) > 0,
  };
}

/** Writes the closed warehouse file of a data folder again. */
export async function rewriteWarehouse(warehouse: Warehouse, dataDir: string): Promise<void> {
  const made = replayFile(dataDir);
  await rewriteClosed(warehouse.db.file, made);
  await warehouse.replaceFile(made);
}

/** Writes a file again that no process reads yet. */
export async function rewriteCopy(file: string): Promise<void> {
  const made = `${file}.new`;
  await rewriteClosed(file, made);
  renameSync(made, file);
}

// Rows of people that were landed with `personalData: contacts`. The models do not publish what names them.
const NAMES_PEOPLE = `SELECT CAST(
  EXISTS (FROM ledger.people WHERE coalesce(
    title, full_name, first_name, last_name, patronymic, gender, email, phone, pronet, microblog, socialnet,
    CAST(extra AS VARCHAR)) IS NOT NULL)
  OR EXISTS (FROM ledger.enrichment_answers WHERE doc IS NOT NULL)
  OR EXISTS (FROM ledger.owner_records WHERE NOT without_personal_data)
  OR EXISTS (FROM ledger.owner_jobs WHERE NOT without_personal_data AND payload IS NOT NULL)
  OR EXISTS (FROM ledger.tender_records WHERE len(list_filter(contacts, lambda c: c.name IS NOT NULL)) > 0)
  OR EXISTS (FROM ledger.tender_records WHERE len(list_filter(contact_extras, lambda e: e IS NOT NULL)) > 0)
  OR EXISTS (FROM ledger.received_events WHERE watch_about_people(field)
    AND coalesce(old_value, new_value, message_html, CAST(extra AS VARCHAR)) IS NOT NULL)
AS INTEGER)`;
