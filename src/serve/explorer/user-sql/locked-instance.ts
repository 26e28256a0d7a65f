import type { DuckDBInstance } from '@duckdb/node-api';
import path from 'node:path';
import { openInstance } from '../../../warehouse/duckdb/instance.js';
import { quote } from '../../../warehouse/duckdb/sql-files.js';
import { DUCKDB_MEMORY, MAX_SPILL } from './limits.js';

/**
 * Opens a published file for queries of users. They can read this file only: no other file, no network, no extension, and
 * they cannot change the settings. They can write only to `scratch`.
 * @param scratch private folder for exports and temporary files
 */
export async function lockedInstance(file: string, scratch: string): Promise<DuckDBInstance> {
  const instance = await openInstance(file, {
    access_mode: 'READ_ONLY',
    autoload_known_extensions: 'false',
    allow_persistent_secrets: 'false',
    temp_directory: path.join(scratch, 'spill'),
    max_temp_directory_size: `${MAX_SPILL / 2 ** 30}GiB`,
    memory_limit: `${Math.floor(DUCKDB_MEMORY / 2 ** 20)}MiB`,
  });
  const connection = await instance.connect();
  try {
    await connection.run(`SET GLOBAL TimeZone = 'UTC'`);
    await connection.run(`SET GLOBAL allowed_directories = [${quote(scratch)}]`);
    await connection.run('SET GLOBAL enable_external_access = false');
    await connection.run('SET GLOBAL lock_configuration = true');
    return instance;
  } catch (error) {
    instance.closeSync();
    throw error;
  } finally {
    connection.closeSync();
  }
}
