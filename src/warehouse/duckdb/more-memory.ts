import type { Database } from './database.js';
import { memoryLimit, OutOfMemoryError } from './memory-limit.js';

/**
 * Runs `work`. If DuckDB reaches its memory limit, doubles the limit and runs `work` again, as long as the machine has
 * the memory. So a single huge answer does not stop a load.
 */
export async function withMoreMemory<T>(db: Database, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof OutOfMemoryError) || !error.retryable) throw error;
      await db.run(`SET memory_limit = '${memoryLimit(db.file)}'`);
    }
  }
}
