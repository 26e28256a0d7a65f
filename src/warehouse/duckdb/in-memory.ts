import { Database } from './database.js';
import { asWarehouseError } from './errors.js';

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
  const db = await Database.open(':memory:', { temp_directory: `${file}.tmp`, ...options }, file);
  try {
    return await work(db);
  } catch (error) {
    throw asWarehouseError(error, file);
  } finally {
    db.closeSync();
  }
}
