import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import type * as ParquetWasm from 'parquet-wasm';

// parquet-wasm is CommonJS in Node.
const require = createRequire(import.meta.url);

/** Compression of the Parquet files that `arrowStream` and `arrowFile` can read. */
export const ARROW_SOURCE = 'snappy';

/** Returns the rows of a Parquet file in the Arrow IPC streaming format. */
export async function arrowStream(parquet: string): Promise<Uint8Array> {
  const { readParquet } = require('parquet-wasm') as typeof ParquetWasm;
  return readParquet(await readFile(parquet)).intoIPCStream();
}

/** Returns the rows of a Parquet file in the Arrow IPC file format, also known as Feather version 2. */
export async function arrowFile(parquet: string): Promise<Uint8Array> {
  const { tableFromIPC, tableToIPC } = await import('apache-arrow');
  return tableToIPC(tableFromIPC(await arrowStream(parquet)), 'file');
}
