import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { Database } from './database.js';
import { TidemarkError } from '../core/errors.js';
import { makeFolder } from '../core/files.js';
import { asWarehouseError, WarehouseBusyError } from './errors.js';
import type { Lock } from '../core/lock.js';
import { lockWriter } from './locks.js';
import { applyMigrations } from './migrate.js';
import { warehouseFile } from './paths.js';
import { prepareSession } from './session.js';

export interface WarehouseOptions {
  /** Another file than the one in use. */
  file?: string;
  /** The writer's lock, when the caller holds it already; it stays held. */
  lock?: Lock;
  /** What the warehouse is opened for, in the message to others who want it: `tidemark compact`. */
  what?: string;
  /** As DuckDB writes it: `4GB`; default `TIDEMARK_WAREHOUSE_MEMORY`, else what DuckDB takes (80 % of the machine). */
  memoryLimit?: string;
}

/** The writer's warehouse, opened. */
export interface Warehouse {
  readonly db: Database;
  /** @throws LockLostError when this process stood still and another took the warehouse over */
  assertHeld(): void;
  /** Checkpoints (no `.wal` is left) and closes. */
  close(): Promise<void>;
}

// DuckDB lets one process open the same file twice without a word; two writers would then fight over every commit.
const held = new Set<string>();

/**
 * Opens `data/warehouse/tidemark.duckdb` for writing, making it when missing, and applies outstanding migrations.
 * @throws WarehouseBusyError when another process, or this one, has it open
 * @throws TidemarkError `DiskFull`; `InvalidConfig` for a memory limit or a number of threads that is none
 */
export async function openWarehouse(dataDir: string, options: WarehouseOptions = {}): Promise<Warehouse> {
  const file = path.resolve(options.file ?? warehouseFile(dataDir));
  if (held.has(file)) throw new WarehouseBusyError(file);
  try {
    await makeFolder(path.dirname(file));
    const owned = options.file === undefined && !options.lock ? await lockWriter(dataDir, options.what) : undefined;
    try {
      const { db, close } = await openOnce(file, options);
      return {
        db,
        assertHeld: () => (owned ?? options.lock)?.assertHeld(),
        close: () => close().finally(() => owned?.release()),
      };
    } catch (error) {
      owned?.release();
      throw error;
    }
  } catch (error) {
    throw asWarehouseError(error, file);
  }
}

/** Opens a file that this process does not have open. Who only waits for the lock has nothing open yet. */
async function openOnce(file: string, options: WarehouseOptions): ReturnType<typeof openWriting> {
  if (held.has(file)) throw new WarehouseBusyError(file);
  held.add(file);
  try {
    return await openWriting(file, options);
  } catch (error) {
    held.delete(file);
    throw error;
  }
}

async function openWriting(
  file: string,
  options: WarehouseOptions,
): Promise<{ db: Database; close: () => Promise<void> }> {
  const instance = await createInstance(file, options);
  try {
    const db = new Database(await instance.connect(), file);
    await prepareSession(db);
    await applyMigrations(db);
    return { db, close: () => closeWarehouse(db, instance) };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/** Opens a DuckDB file for reading alone, without touching it. */
export async function openReadOnly(file: string): Promise<{ db: Database; close: () => void }> {
  try {
    const instance = await DuckDBInstance.create(file, {
      access_mode: 'READ_ONLY',
      autoinstall_known_extensions: 'false',
    });
    const db = new Database(await instance.connect(), file);
    const close = (): void => {
      db.closeSync();
      instance.closeSync();
    };
    return { db, close };
  } catch (error) {
    throw asWarehouseError(error, file);
  }
}

async function createInstance(file: string, options: WarehouseOptions): Promise<DuckDBInstance> {
  // Properties of the machine, not of what is crawled: so they are no keys of tidemark.yaml.
  const memoryLimit = options.memoryLimit ?? readMemoryLimit(process.env['TIDEMARK_WAREHOUSE_MEMORY']);
  const threads = readThreads(process.env['TIDEMARK_WAREHOUSE_THREADS']);
  return DuckDBInstance.create(file, {
    temp_directory: `${file}.tmp`,
    // Only Tidemark opens this file, so it need not be one that older versions of DuckDB can read.
    storage_compatibility_version: 'v1.5.0',
    // Nothing here needs an extension that is not built in, and a machine without network must not wait for one.
    autoinstall_known_extensions: 'false',
    ...(threads === undefined ? {} : { threads }),
    ...(memoryLimit === undefined ? {} : { memory_limit: memoryLimit }),
  });
}

function readMemoryLimit(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^\d+(\.\d+)? ?[KMGT]i?B$/i.test(text)) return text;
  throw new TidemarkError('InvalidConfig', `TIDEMARK_WAREHOUSE_MEMORY is not a valid size: "${text}".`, {
    todo: 'Give a size like 1000MB or 4GB. Above this memory use, the warehouse works in files.',
  });
}

function readThreads(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined;
  if (/^[1-9]\d{0,2}$/.test(text)) return text;
  throw new TidemarkError('InvalidConfig', `TIDEMARK_WAREHOUSE_THREADS is not a valid number: "${text}".`, {
    todo: 'Give the number of cores that the warehouse may use, from 1 to 999.',
  });
}

async function closeWarehouse(db: Database, instance: DuckDBInstance): Promise<void> {
  try {
    await db.run('CHECKPOINT');
  } finally {
    db.closeSync();
    instance.closeSync();
    held.delete(db.file);
  }
}
