import { statSync } from 'node:fs';
import type { Database } from './database.js';
import { givenThreads, MEBIBYTE } from './memory-limit.js';

/*
 * Several threads finish large statements sooner, but need more CPU time for all. With small tables, they only cost:
 * 20 to 40 % at 200 to 5,000 companies. `TIDEMARK_WAREHOUSE_THREADS` sets the number. Otherwise, a small file is opened
 * with one thread, and the first large batch takes all.
 */

// A file of about 5,000 companies with reports.
const SMALL_FILE = 32 * MEBIBYTE;
// Bytes of landed parts in a batch of about 2,000 company records.
const SMALL_BATCH = 2 * MEBIBYTE;

/**
 * Returns the number of threads with which to open a file; undefined: as many as DuckDB chooses.
 * @throws TidemarkError `InvalidConfig` for an invalid number in `TIDEMARK_WAREHOUSE_THREADS`
 */
export function threadsFor(file: string): string | undefined {
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return givenThreads() ?? (size < SMALL_FILE ? '1' : undefined);
}

/** Uses all threads from now on if a batch of landed parts is large. */
export async function useThreadsFor(db: Database, batch: readonly { bytes: number }[]): Promise<void> {
  if (givenThreads() !== undefined) return;
  const bytes = batch.reduce((sum, part) => sum + part.bytes, 0);
  if (bytes >= SMALL_BATCH) await db.run('RESET threads');
}
