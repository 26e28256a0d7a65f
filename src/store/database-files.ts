import { rmSync } from 'node:fs';

/** Files that DuckDB keeps next to a database: logs of a checkpoint and before it, and temporary files. */
export function leftoversOf(file: string): string[] {
  return ['.wal', '.wal.checkpoint', '.wal.recovery', '.tmp'].map((end) => `${file}${end}`);
}

/** Removes the files that DuckDB keeps next to a database. DuckDB would apply a log to a new file of the same name. */
export function removeLeftovers(file: string): void {
  for (const name of leftoversOf(file)) rmSync(name, { recursive: true, force: true });
}

/** Removes a database, and the files that DuckDB keeps next to it. */
export function removeDatabase(file: string): void {
  rmSync(file, { recursive: true, force: true });
  removeLeftovers(file);
}
