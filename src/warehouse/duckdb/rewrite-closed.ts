import { removeDatabase } from '../../store/database-files.js';
import type { Database } from './database.js';
import { withMemory } from './in-memory.js';
import { memoryLimit } from './memory-limit.js';
import { prepareSession } from './session.js';
import { quote } from './sql-files.js';

/** The size of a DuckDB file, in blocks. */
interface FileBlocks {
  all: number;
  free: number;
}

/** Reads how many blocks of the open file are free. First writes all changes to the file. */
export async function readBlocks(db: Database): Promise<FileBlocks> {
  await db.run('CHECKPOINT');
  const [size] = await db.rows<{ all: number; free: number }>(
    `SELECT CAST(total_blocks AS DOUBLE) AS all, CAST(free_blocks AS DOUBLE) AS free
     FROM pragma_database_size() WHERE database_name = current_database()`,
  );
  return size ?? { all: 0, free: 0 };
}

/**
 * Writes everything in a closed DuckDB file into a new file: tables, views, macros and comments, in the same order of
 * rows. The new file has no free blocks, so it has no byte of removed rows.
 */
export async function rewriteClosed(from: string, to: string): Promise<void> {
  removeDatabase(to);
  await withMemory(to, async (db) => {
    await prepareSession(db);
    await db.run(`SET memory_limit = '${memoryLimit(from)}'; SET preserve_insertion_order = true`);
    await db.run(
      `ATTACH ${quote(from)} AS old_file (READ_ONLY); ATTACH ${quote(to)} AS new_file (STORAGE_VERSION 'v1.5.0')`,
    );
    await db.run('COPY FROM DATABASE old_file TO new_file');
    await db.run('DETACH new_file');
  });
}
