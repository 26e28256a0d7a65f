import { rmSync } from 'node:fs';

/** Ends of the names of files that DuckDB keeps next to a database: logs, before and of a checkpoint; temporary files. */
const LEFTOVERS = ['.wal', '.wal.checkpoint', '.wal.recovery', '.tmp'];

/** Removes the files that DuckDB keeps next to a database. DuckDB would apply a log to a new file of the same name. */
export function removeLeftovers(file: string): void {
  for (const end of LEFTOVERS) rmSync(`${file}${end}`, { recursive: true, force: true });
}

/** Removes a database, and the files that DuckDB keeps next to it. */
export function removeDatabase(file: string): void {
  rmSync(file, { recursive: true, force: true });
  removeLeftovers(file);
}
