import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { declaredFields } from '../drift/declared.js';
import { Database } from './database.js';
import { asWarehouseError, WarehouseBusyError } from './errors.js';
import { applyMigrations } from './migrate.js';
import { warehouseFile } from './paths.js';
import { quote, readSqlFolder, sqlPath } from './sql-files.js';

export interface WarehouseOptions {
  /** Another file than the one in use. */
  file?: string;
  threads?: number;
  /** As DuckDB writes it: `4GB`. */
  memoryLimit?: string;
}

/** The writer's warehouse, opened. */
export interface Warehouse {
  readonly db: Database;
  /** Checkpoints (no `.wal` is left) and closes. */
  close(): Promise<void>;
}

// DuckDB lets one process open the same file twice without a word; two writers would then fight over every commit.
const held = new Set<string>();

/**
 * Opens `data/warehouse/tidemark.duckdb` for writing, making it when missing, and applies outstanding migrations.
 * @throws WarehouseBusyError when another process, or this one, has it open
 * @throws TidemarkError `DiskFull`
 */
export async function openWarehouse(dataDir: string, options: WarehouseOptions = {}): Promise<Warehouse> {
  const file = path.resolve(options.file ?? warehouseFile(dataDir));
  if (held.has(file)) throw new WarehouseBusyError(file);
  held.add(file);
  try {
    mkdirSync(path.dirname(file), { recursive: true });
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
  } catch (error) {
    held.delete(file);
    throw asWarehouseError(error, file);
  }
}

async function createInstance(file: string, options: WarehouseOptions): Promise<DuckDBInstance> {
  return DuckDBInstance.create(file, {
    temp_directory: `${file}.tmp`,
    // Nothing here needs an extension that is not built in, and a machine without network must not wait for one.
    autoinstall_known_extensions: 'false',
    ...(options.threads === undefined ? {} : { threads: String(options.threads) }),
    ...(options.memoryLimit === undefined ? {} : { memory_limit: options.memoryLimit }),
  });
}

/** Macros and seeds live in the session, so that a changed file takes effect with the next open and leaves no trace. */
async function prepareSession(db: Database): Promise<void> {
  await db.run(`SET TimeZone = 'UTC'`);
  await db.run('SET preserve_insertion_order = false');
  for (const macro of readSqlFolder('macros')) await db.runFile(macro);
  const seed = quote(sqlPath('seeds/indicators.csv'));
  await db.run(
    `CREATE OR REPLACE TEMP TABLE seed_indicators AS SELECT * FROM read_csv(${seed}, header = true, all_varchar = true)`,
  );
  await db.run(
    'CREATE OR REPLACE TEMP TABLE seed_fields AS SELECT unnest(from_json(CAST($fields AS JSON), $type), recursive := true)',
    {
      fields: JSON.stringify(declaredFields()),
      type: '[{"stream":"VARCHAR","route":"VARCHAR","path":"VARCHAR","parent":"VARCHAR","types":["VARCHAR"],"inside":"BOOLEAN","enough":"BIGINT"}]',
    },
  );
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
