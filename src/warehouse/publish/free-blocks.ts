import { existsSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { removeDatabase } from '../../store/database-files.js';
import { envDir, rebuiltRoot, replayFile, reportFile } from '../../store/data-folder.js';
import type { Database } from '../duckdb/database.js';
import { withMemory } from '../duckdb/in-memory.js';
import { memoryLimit } from '../duckdb/memory-limit.js';
import type { Warehouse } from '../duckdb/open.js';
import { prepareSession } from '../duckdb/session.js';
import { quote, readSqlFile } from '../duckdb/sql-files.js';

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
  /**
   * `personalData` became `none`. Then also remove what was made before: older builds, and the files of
   * `removeRemakable`. At last, write the warehouse file again: until then, each publication does all of this.
   */
  isReduced: boolean;
}

// 32 MiB. A night frees and uses some blocks even in a small file.
const MANY_BLOCKS = 128;
const LARGE_SHARE = 0.25;

/** Decides which files to write again. Call it before the warehouse is closed. */
export async function findFreeBlocks(db: Database): Promise<FreeBlocks> {
  await db.run('CHECKPOINT');
  const [size] = await db.rows<{ all: number; free: number }>(
    `SELECT CAST(total_blocks AS DOUBLE) AS all, CAST(free_blocks AS DOUBLE) AS free
     FROM pragma_database_size() WHERE database_name = current_database()`,
  );
  const { all, free } = size ?? { all: 0, free: 0 };
  const [built] = await db.rows<{ personal_data: boolean; had_personal_data: boolean }>('FROM ledger.built_from');
  const isNone = built?.personal_data === false;
  const isReduced = isNone && built.had_personal_data;
  return {
    warehouse: !isReduced && free >= MANY_BLOCKS && free >= LARGE_SHARE * all,
    copy: isReduced || (isNone && (await namesPeople(db))),
    isReduced,
  };
}

/** Writes the closed warehouse file of a data folder again. From then on, it never had personal data. */
export async function rewriteWarehouse(warehouse: Warehouse, dataDir: string, isReduced: boolean): Promise<void> {
  const made = replayFile(dataDir);
  await rewriteClosed(
    warehouse.db.file,
    made,
    isReduced ? 'UPDATE ledger.built_from SET had_personal_data = false' : '',
  );
  await warehouse.replaceFile(made);
}

/** Writes a file again that no process reads yet. */
export async function rewriteCopy(file: string): Promise<void> {
  const made = `${file}.new`;
  await rewriteClosed(file, made);
  renameSync(made, file);
}

/**
 * Removes what commands can make again: dev environments, replays of a range of dates, and the report.
 * @returns the removed paths, relative to the data folder
 */
export function removeRemakable(dataDir: string): string[] {
  return [envDir(dataDir), rebuiltRoot(dataDir), reportFile(dataDir)].flatMap((file) => {
    if (!existsSync(file)) return [];
    rmSync(file, { recursive: true, force: true });
    return [path.relative(dataDir, file)];
  });
}

/**
 * Writes everything in a closed DuckDB file into a new file: tables, views, macros and comments, in the same order of
 * rows. The new file has no free blocks, so it has no byte of removed rows.
 */
async function rewriteClosed(from: string, to: string, then = ''): Promise<void> {
  removeDatabase(to);
  await withMemory(
    to,
    async (db) => {
      await prepareSession(db);
      await db.run(
        `SET preserve_insertion_order = true;
         ATTACH ${quote(from)} AS old_file (READ_ONLY); ATTACH ${quote(to)} AS new_file (STORAGE_VERSION 'v1.5.0')`,
      );
      await db.run(`COPY FROM DATABASE old_file TO new_file; USE new_file; ${then}`);
      await db.run('USE memory; DETACH new_file');
    },
    { memory_limit: memoryLimit(from) },
  );
}

// A table of sql/schema.sql. In it, a column that may name a person, and the condition in SQL under which it does.
const TABLE = /^CREATE TABLE (ledger\.\w+) \((.*?)^\);$/gms;
const PERSONAL = /^ {2}(\w+) .*-- names a person(?: if (.*))?$/gm;

/** Whether the ledger names people that were landed with `personalData: contacts`. */
async function namesPeople(db: Database): Promise<boolean> {
  const found = [...readSqlFile('schema.sql').text.matchAll(TABLE)].flatMap(([, table, columns = '']) =>
    [...columns.matchAll(PERSONAL)].map(
      ([, name, condition = 'true']) => `(SELECT 1 FROM ${table} WHERE ${name} IS NOT NULL AND (${condition}) LIMIT 1)`,
    ),
  );
  return (await db.count(`SELECT count(*) FROM (${found.join(' UNION ALL ')})`)) > 0;
}
