import { existsSync, renameSync } from 'node:fs';
import path from 'node:path';
import { warehouseFile } from '../../store/data-folder.js';
import { Database } from './database.js';
import { removeLeftovers } from '../../store/database-files.js';
import { makeFolder, syncFile, syncFolder } from '../../store/files.js';
import { asWarehouseError, WarehouseBusyError } from './errors.js';
import type { Lock } from '../../store/lock/lock.js';
import { lockWriter } from './locks.js';
import { memoryLimit } from './memory-limit.js';
import { ensureSchema } from './schema.js';
import { prepareSession } from './session.js';
import { openInDuckDb } from './copy-closed.js';
import { copyTemplate } from './template.js';
import { threadsFor } from './threads.js';
import type { Data } from '../../store/data.js';

/** Options of `openWarehouse`. */
export interface WarehouseOptions {
  /** File to open instead of the default one. */
  file?: string;
  /** The writer's lock, if the caller already holds it. The caller must release it. */
  lock?: Lock;
  /**
   * What this writer does, for example `tidemark compact`. Other processes that need the warehouse show this text in
   * their errors.
   */
  what?: string;
  /**
   * Memory limit as DuckDB writes it, for example `4GB`. Default: `TIDEMARK_WAREHOUSE_MEMORY`, else a limit that
   * follows the size of the file (`memoryLimit`).
   */
  memoryLimit?: string;
}

/** The warehouse, opened for writing. */
export interface Warehouse {
  readonly db: Database;
  /**
   * Checks that this process still holds the lock.
   * @throws LockLostError when this process was paused and another process took the lock
   */
  assertHeld(): void;
  /**
   * Closes the file, and keeps the lock. First writes everything to the file (checkpoint), so that no `.wal` file is left.
   * From now on, `db` fails, and the file can be copied (see `copyClosed`). May be called again.
   */
  closeFile(): Promise<void>;
  /** As `replaceFile`, for the closed file of this warehouse. */
  replaceFile(made: string): Promise<void>;
  /** Closes the file, and releases the lock. May be called again. */
  close(): Promise<void>;
}

// Files that this process has open. DuckDB would allow a second open without an error, but two writers would conflict
// at every commit.
const held = new Set<string>();

/**
 * Opens `data/warehouse/tidemark.duckdb` for writing. Creates the file if it is missing.
 * @throws WarehouseBusyError when another process, or this process, has the file open
 * @throws TidemarkError `DiskFull`; `InvalidConfig` for an invalid memory limit or number of threads
 * @throws WarehouseOutdatedError when another version of Tidemark made the file
 */
export async function openWarehouse(data: Data, options: WarehouseOptions = {}): Promise<Warehouse> {
  const { dataDir } = data;
  const file = path.resolve(options.file ?? warehouseFile(dataDir));
  if (held.has(file)) throw new WarehouseBusyError(file);
  try {
    await makeFolder(path.dirname(file));
    const owned = options.file === undefined && !options.lock ? await lockWriter(data, options.what) : undefined;
    try {
      const { db, close } = await openOnce(file, options);
      let [fileClosed, closed]: Promise<void>[] = [];
      const closeFile = (): Promise<void> => (fileClosed ??= close());
      const release = (): void => {
        held.delete(file);
        owned?.release();
      };
      return {
        db,
        assertHeld: () => (owned ?? options.lock)?.assertHeld(),
        closeFile,
        replaceFile: (made) => replaceFile(made, file, owned ?? options.lock),
        close: () => (closed ??= closeFile().finally(release)),
      };
    } catch (error) {
      owned?.release();
      throw error;
    }
  } catch (error) {
    throw asWarehouseError(error, file);
  }
}

/**
 * Opens a file and adds it to `held`. Is called only after the lock was taken, because a call that waits for the lock
 * must not block other calls.
 */
async function openOnce(file: string, options: WarehouseOptions): ReturnType<typeof openWriting> {
  if (held.has(file)) throw new WarehouseBusyError(file);
  held.add(file);
  try {
    const opened = await openWriting(file, options);
    openInDuckDb.add(file);
    return opened;
  } catch (error) {
    held.delete(file);
    throw error;
  }
}

async function openWriting(
  file: string,
  options: WarehouseOptions,
): Promise<{ db: Database; close: () => Promise<void> }> {
  if (!existsSync(file)) await copyTemplate(file);
  const db = await openToWrite(file, options);
  try {
    await prepareSession(db);
    await ensureSchema(db);
    db.countChanges();
    return { db, close: () => closeWarehouse(db) };
  } catch (error) {
    db.closeSync();
    throw error;
  }
}

/**
 * Replaces a closed warehouse file with another one, in one step. Writes both to disk.
 * @throws LockLostError when another process took the lock; the file is then unchanged
 */
export async function replaceFile(made: string, file: string, lock: Lock | undefined): Promise<void> {
  await syncFile(made);
  lock?.assertHeld();
  // DuckDB could apply a log that a killed process left to the new file.
  removeLeftovers(file);
  if (lock === undefined) renameSync(made, file);
  else lock.rename(made, file);
  await syncFolder(path.dirname(file));
}

/** Opens a copy of the warehouse file, to change it. It is no warehouse: no process locks it or reads it yet. */
export async function openCopy(file: string): Promise<{ db: Database; close: () => void }> {
  const db = await openToWrite(file, {});
  await db.run(`SET TimeZone = 'UTC'`);
  return { db, close: () => db.closeSync() };
}

/** Runs `work` with a DuckDB file that is open read-only. */
export async function readOnly<T>(file: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = await Database.open(file, { access_mode: 'READ_ONLY' }).catch((error: unknown) => {
    throw asWarehouseError(error, file);
  });
  try {
    return await work(db);
  } finally {
    db.closeSync();
  }
}

function openToWrite(file: string, options: WarehouseOptions): Promise<Database> {
  // Memory and threads depend on the machine. So environment variables set them, and not tidemark.yaml.
  const threads = threadsFor(file);
  return Database.open(file, {
    temp_directory: `${file}.tmp`,
    // The published file is a copy of this file, so readers need this version of DuckDB or a later one.
    storage_compatibility_version: 'v1.5.0',
    // Return freed memory to the system early. The load of 10,000 companies then peaks 100 MiB lower.
    allocator_flush_threshold: '8MB',
    allocator_bulk_deallocation_flush_threshold: '8MB',
    allocator_background_threads: 'true',
    ...(threads === undefined ? {} : { threads }),
    memory_limit: options.memoryLimit ?? memoryLimit(file),
  });
}

async function closeWarehouse(db: Database): Promise<void> {
  try {
    await db.run('CHECKPOINT');
  } finally {
    db.closeSync();
    openInDuckDb.delete(db.file);
  }
}
