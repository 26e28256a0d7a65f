import { Database } from './database.js';
import { asWarehouseError } from './errors.js';
import { openInstance } from './instance.js';

/**
 * Opens a database in memory, runs `work`, and closes the database.
 * @param file name of the database in errors. If memory is short, DuckDB writes temporary files to the folder
 * `<file>.tmp`
 * @param options further settings of DuckDB, such as `memory_limit`
 */
export async function withMemory<T>(
  file: string,
  work: (db: Database) => Promise<T>,
  options: Record<string, string> = {},
): Promise<T> {
  const instance = await openInstance(':memory:', {
    ...options,
    temp_directory: `${file}.tmp`,
    autoinstall_known_extensions: 'false',
  });
  const db = new Database(await instance.connect(), file);
  try {
    return await work(db);
  } catch (error) {
    throw asWarehouseError(error, file);
  } finally {
    db.closeSync();
    instance.closeSync();
  }
}
