import { createRequire } from 'node:module';
import type * as DuckDB from '@duckdb/node-api';
import type { DuckDBInstance } from '@duckdb/node-api';

const require = createRequire(import.meta.url);

/**
 * Opens a DuckDB file, or `:memory:`. Loads DuckDB at the first call, so that commands and workers start faster.
 * @param options settings of DuckDB
 */
export async function openInstance(file: string, options: Record<string, string>): Promise<DuckDBInstance> {
  const duckdb = await import('@duckdb/node-api');
  // All extensions that Tidemark needs are built in. Without a network, DuckDB would wait for a download.
  return duckdb.DuckDBInstance.create(file, { ...options, autoinstall_known_extensions: 'false' });
}

/** Returns the version of DuckDB, such as `v1.5.6`. Loads DuckDB at the first call. */
export function duckdbVersion(): string {
  return (require('@duckdb/node-api') as typeof DuckDB).version();
}
